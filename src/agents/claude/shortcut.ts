import { matchesAt, readStringLiteral, type Shortcut } from '../../lines/index.ts'

/** A line up to its delta. */
const head =
  /^\{"type":"stream_event","event":\{"type":"content_block_delta","index":(\d+),"delta":\{"type":"(text_delta|thinking_delta|input_json_delta)","(text|thinking|partial_json)":"/

/** A line from the end of its delta to the call of its thread. */
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
 * Reads a delta and its thread without parsing the line. The same bytes always mean the same, so the
 * last head and tail are cached. What follows the tail is not read: a key occurs once in an object,
 * so nothing there can change what was read.
 */
export const createClaudeShortcut = (): Shortcut<unknown> => {
  let lastHead: Head | undefined
  let lastTail: Tail | undefined

  return {
    read(segment, start, end, isWhole) {
      if (!isWhole) return undefined
      const { latin1 } = segment
      if (latin1.charCodeAt(start + openingIndex) !== openingCode)
        return matchesAt(latin1, start, estimate) ? estimateLine : undefined
      if (!lastHead || !matchesAt(latin1, start, lastHead.text))
        lastHead = readHead(latin1, start, end)
      if (!lastHead) return undefined
      const literal = readStringLiteral(segment, start + lastHead.text.length, end)
      if (!literal) return undefined
      if (!lastTail || !matchesAt(latin1, literal.close, lastTail.text))
        lastTail = readTail(latin1.slice(literal.close, end))
      return lastTail && lineOf(lastHead, literal.text, lastTail)
    },
  }
}

/** One comes with nearly every delta of thinking. Nothing in it is read. */
const estimate = '{"type":"system","subtype":"thinking_tokens",'
const estimateLine = { type: 'system', subtype: 'thinking_tokens' }

/** Where `{"type":"st…` differs from the opening of most other lines. */
const openingIndex = 10
const openingCode = 't'.charCodeAt(0)
/** Longer than any head. */
const headLength = 256

/** The line as far as the decoder reads it. */
const lineOf = ({ type, index }: Head, text: string, { parent }: Tail) => ({
  type: 'stream_event',
  event: { type: 'content_block_delta', index, delta: deltaOf(type, text) },
  parent_tool_use_id: parent,
})

const deltaOf = (type: string, text: string) => {
  if (type === 'text_delta') return { type, text }
  return type === 'thinking_delta' ? { type, thinking: text } : { type, partial_json: text }
}

const readHead = (text: string, start: number, end: number): Head | undefined => {
  const found = head.exec(text.slice(start, Math.min(end, start + headLength)))
  return found ? { text: found[0], index: Number(found[1]), type: found[2] ?? '' } : undefined
}

const readTail = (text: string): Tail | undefined => {
  const found = tail.exec(text)
  return found?.[1] === undefined ? undefined : { text: found[0], parent: JSON.parse(found[1]) }
}
