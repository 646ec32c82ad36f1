import { matchesAt, type ReadText, readLiteral, type Shortcut } from '../../lines/index.ts'

const opening = new TextEncoder().encode('{"type":"message_update",')

/** Numbers, flags and one level of nesting, under plain keys. */
const flat = String.raw`"\w+":(?:[-+.\deE]+|true|false|null)`
const usage = String.raw`\{(?:(?:${flat}|"\w+":\{(?:${flat},?)*\}),?)*\}`
const head = new RegExp(
  String.raw`^\{"type":"message_update",(?:"usage":(${usage}),)?"assistantMessageEvent":` +
    String.raw`\{"type":"((?:text|thinking|toolcall)_delta)","contentIndex":(\d+),"delta":"`,
)

const COMMA = 44
const BRACE = 125
/** A head is some 350 bytes long; this leaves room for larger numbers. */
const headReach = 1024

interface Known {
  bytes: Uint8Array
  make(delta: string): unknown
}

/**
 * Reads a delta from the head of its line. Old dialects repeat the whole message behind it, twice;
 * new ones a usage object before it. What a line means up to its delta depends on those bytes
 * alone, so a head that was understood once is understood wherever it stands again. What follows
 * the delta is not looked at: control characters are escaped in JSON, so the next LF is the end.
 */
export const createPiShortcut = (readText: ReadText): Shortcut<unknown> => {
  let known: Known | undefined

  return {
    read(bytes, start, end) {
      if (!known || !matchesAt(bytes, start, end, known.bytes))
        known = learn(bytes, start, end, readText)
      if (!known) return undefined
      const literal = readLiteral(bytes, start + known.bytes.length, end, readText)
      if (!literal) return undefined
      const next = bytes[literal.close + 1]
      if (literal.close + 1 >= end || (next !== COMMA && next !== BRACE)) return undefined
      return known.make(literal.text)
    },
  }
}

const learn = (
  bytes: Uint8Array,
  start: number,
  end: number,
  readText: ReadText,
): Known | undefined => {
  if (!matchesAt(bytes, start, end, opening)) return undefined
  const found = head.exec(readText(bytes, start, Math.min(end, start + headReach)))
  if (!found) return undefined
  const usage = found[1] === undefined ? undefined : parse(found[1])
  if (found[1] !== undefined && usage === undefined) return undefined
  const type = found[2]
  const contentIndex = Number(found[3])
  return {
    // A copy: the chunk belongs to the reader (and Buffer’s slice would not copy).
    bytes: new Uint8Array(bytes.subarray(start, start + found[0].length)),
    make: (delta) => ({
      type: 'message_update',
      usage,
      assistantMessageEvent: { type, contentIndex, delta },
    }),
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
