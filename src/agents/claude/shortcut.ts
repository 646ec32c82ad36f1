import { matchesAt, type ReadText, readLiteral, type Shortcut } from '../../lines/index.ts'

const opening = new TextEncoder().encode(
  '{"type":"stream_event","event":{"type":"content_block_delta",',
)

const head =
  /^\{"type":"stream_event","event":\{"type":"content_block_delta","index":(\d+),"delta":\{"type":"(text_delta|thinking_delta|input_json_delta)","(text|thinking|partial_json)":"/

/** Plain values only; the id of the line itself is the one part that differs from line to line. */
const tail = /^"\}\}((?:,"\w+":(?:null|true|false|-?[\d.]+|"[^"\\]*"))*)\}$/
const lineId = /,"uuid":"([^"\\]*)"/

const QUOTE = 34
const BACKSLASH = 92

interface Head {
  bytes: Uint8Array
  make(delta: string, rest: object): unknown
}

interface Tail {
  before: Uint8Array
  idLength: number
  after: Uint8Array
  rest: object
}

/**
 * Reads a delta and the plain fields behind it without parsing the line. A head or tail that was
 * understood once means the same wherever the same bytes stand again, but for the line’s own id.
 */
export const createClaudeShortcut = (readText: ReadText): Shortcut<unknown> => {
  let knownHead: Head | undefined
  let knownTail: Tail | undefined

  return {
    read(bytes, start, end, whole) {
      if (!whole) return undefined
      if (!knownHead || !matchesAt(bytes, start, end, knownHead.bytes))
        knownHead = learnHead(bytes, start, end, readText)
      if (!knownHead) return undefined
      const literal = readLiteral(bytes, start + knownHead.bytes.length, end, readText)
      if (!literal) return undefined
      if (!knownTail || !isTail(bytes, literal.close, end, knownTail))
        knownTail = learnTail(readText(bytes, literal.close, end))
      return knownTail && knownHead.make(literal.text, knownTail.rest)
    },
  }
}

const isTail = (bytes: Uint8Array, start: number, end: number, known: Tail): boolean => {
  const id = start + known.before.length
  const after = id + known.idLength
  if (after + known.after.length !== end) return false
  if (!matchesAt(bytes, start, end, known.before)) return false
  for (let at = id; at < after; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE || byte === BACKSLASH || byte < 32) return false
  }
  return matchesAt(bytes, after, end, known.after)
}

const learnHead = (
  bytes: Uint8Array,
  start: number,
  end: number,
  readText: ReadText,
): Head | undefined => {
  if (!matchesAt(bytes, start, end, opening)) return undefined
  const found = head.exec(readText(bytes, start, Math.min(end, start + 256)))
  if (!found) return undefined
  const index = Number(found[1])
  const type = found[2] ?? ''
  const key = found[3] ?? ''
  return {
    // A copy: the chunk belongs to the reader (and Buffer’s slice would not copy).
    bytes: new Uint8Array(bytes.subarray(start, start + found[0].length)),
    make: (delta, rest) => ({
      type: 'stream_event',
      event: { type: 'content_block_delta', index, delta: { type, [key]: delta } },
      ...rest,
    }),
  }
}

const learnTail = (text: string): Tail | undefined => {
  const found = tail.exec(text)
  const id = lineId.exec(text)
  if (!found || !id || id[1] === undefined) return undefined
  const encoder = new TextEncoder()
  const from = id.index + id[0].length - 1 - id[1].length
  const { uuid: _, ...rest } = JSON.parse(`{${found[1]?.slice(1) ?? ''}}`)
  return {
    before: encoder.encode(text.slice(0, from)),
    idLength: encoder.encode(id[1]).length,
    after: encoder.encode(text.slice(from + id[1].length)),
    rest,
  }
}
