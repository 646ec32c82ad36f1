import { matchesAt, readStringLiteral, type Shortcut } from '../../lines/index.ts'

const head =
  /^\{"type":"stream_event","event":\{"type":"content_block_delta","index":(\d+),"delta":\{"type":"(text_delta|thinking_delta|input_json_delta)","(text|thinking|partial_json)":"/

/** What stands behind the delta, up to the thread that it belongs to. */
const tail = /^"\}\},"session_id":"[^"\\]*","parent_tool_use_id":(null|"[^"\\]*"),/

interface Head {
  text: string
  index: number
  type: string
}

interface Tail {
  text: string
  parent: unknown
}

/**
 * Reads a delta, and whose it is, without parsing the line. A head or tail that was understood once
 * means the same wherever the same bytes stand again. What follows the tail is not looked at: a key
 * stands once in an object, so nothing behind can change what was read.
 */
export const createClaudeShortcut = (): Shortcut<unknown> => {
  let knownHead: Head | undefined
  let knownTail: Tail | undefined

  return {
    read(piece, start, end, whole) {
      if (!whole) return undefined
      const { latin1: plain } = piece
      if (plain.charCodeAt(start + openingMark) !== openingCode)
        return matchesAt(plain, start, estimate) ? estimateLine : undefined
      if (!knownHead || !matchesAt(plain, start, knownHead.text))
        knownHead = learnHead(plain, start, end)
      if (!knownHead) return undefined
      const literal = readStringLiteral(piece, start + knownHead.text.length, end)
      if (!literal) return undefined
      if (!knownTail || !matchesAt(plain, literal.close, knownTail.text))
        knownTail = learnTail(plain.slice(literal.close, end))
      return knownTail && lineOf(knownHead, literal.text, knownTail)
    },
  }
}

/** One comes with nearly every piece of thinking, and says nothing that is read. */
const estimate = '{"type":"system","subtype":"thinking_tokens",'
const estimateLine = { type: 'system', subtype: 'thinking_tokens' }

/** Where the opening differs from that of most other lines: `{"type":"st…` */
const openingMark = 10
const openingCode = 't'.charCodeAt(0)
const headReach = 256

/** The line as far as a decoder reads it. */
const lineOf = ({ type, index }: Head, text: string, { parent }: Tail) => ({
  type: 'stream_event',
  event: { type: 'content_block_delta', index, delta: deltaOf(type, text) },
  parent_tool_use_id: parent,
})

const deltaOf = (type: string, text: string) => {
  if (type === 'text_delta') return { type, text }
  return type === 'thinking_delta' ? { type, thinking: text } : { type, partial_json: text }
}

const learnHead = (text: string, start: number, end: number): Head | undefined => {
  const found = head.exec(text.slice(start, Math.min(end, start + headReach)))
  return found ? { text: found[0], index: Number(found[1]), type: found[2] ?? '' } : undefined
}

const learnTail = (text: string): Tail | undefined => {
  const found = tail.exec(text)
  return found?.[1] === undefined ? undefined : { text: found[0], parent: JSON.parse(found[1]) }
}
