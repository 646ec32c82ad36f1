import { matchesAt, readStringLiteral, type Shortcut } from '../../lines/index.ts'

/** Numbers, flags and one level of nesting, under plain keys. */
const flat = String.raw`"\w+":(?:[-+.\deE]+|true|false|null)`
const usage = String.raw`\{(?:(?:${flat}|"\w+":\{(?:${flat},?)*\}),?)*\}`
/** A line up to its delta. */
const head = new RegExp(
  String.raw`^\{"type":"message_update",(?:"usage":(${usage}),)?"assistantMessageEvent":` +
    String.raw`\{"type":"((?:text|thinking|toolcall)_delta)","contentIndex":(\d+),"delta":"`,
)

const comma = ','.charCodeAt(0)
const brace = '}'.charCodeAt(0)
/** A head has some 350 characters; this leaves room for larger numbers. */
const headLength = 1024

interface Head {
  text: string
  usage: unknown
  type: string
  contentIndex: number
}

/**
 * Reads a delta from the head of its line. Old dialects repeat the whole message after it, twice;
 * new ones have a usage object before it. The same bytes always mean the same, so the last head is
 * cached. What follows the delta is not read: JSON escapes control characters, so the next LF is the
 * end of the line.
 */
export const createPiShortcut = (): Shortcut<unknown> => {
  let last: Head | undefined

  return {
    read(segment, start, end) {
      const { latin1 } = segment
      if (latin1.charCodeAt(start + openingIndex) !== openingCode) return undefined
      if (!last || !matchesAt(latin1, start, last.text)) last = readHead(latin1, start, end)
      if (!last) return undefined
      const literal = readStringLiteral(segment, start + last.text.length, end)
      if (!literal || literal.close + 1 >= end) return undefined
      const next = latin1.charCodeAt(literal.close + 1)
      return next === comma || next === brace ? lineOf(last, literal.text) : undefined
    },
  }
}

/** Where `{"type":"message_u…` differs from the opening of most other lines. */
const openingIndex = 17
const openingCode = 'u'.charCodeAt(0)

/** The line as far as the decoder reads it. */
const lineOf = ({ type, contentIndex, usage }: Head, delta: string) => ({
  type: 'message_update',
  usage,
  assistantMessageEvent: { type, contentIndex, delta },
})

const readHead = (text: string, start: number, end: number): Head | undefined => {
  const found = head.exec(text.slice(start, Math.min(end, start + headLength)))
  if (!found) return undefined
  const usage = found[1] === undefined ? undefined : parse(found[1])
  if (found[1] !== undefined && usage === undefined) return undefined
  return { text: found[0], usage, type: found[2] ?? '', contentIndex: Number(found[3]) }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
