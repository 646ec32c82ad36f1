import { matchesAt, readStringLiteral, type Shortcut } from '../../lines/index.ts'

/** Numbers, flags and one level of nesting, under plain keys. */
const flat = String.raw`"\w+":(?:[-+.\deE]+|true|false|null)`
const usage = String.raw`\{(?:(?:${flat}|"\w+":\{(?:${flat},?)*\}),?)*\}`
const head = new RegExp(
  String.raw`^\{"type":"message_update",(?:"usage":(${usage}),)?"assistantMessageEvent":` +
    String.raw`\{"type":"((?:text|thinking|toolcall)_delta)","contentIndex":(\d+),"delta":"`,
)

const COMMA = 44
const BRACE = 125
/** A head is some 350 characters long; this leaves room for larger numbers. */
const headReach = 1024

interface Known {
  head: string
  usage: unknown
  type: string
  contentIndex: number
}

/**
 * Reads a delta from the head of its line. Old dialects repeat the whole message behind it, twice;
 * new ones a usage object before it. What a line means up to its delta depends on those bytes
 * alone, so a head that was understood once is understood wherever it stands again. What follows
 * the delta is not looked at: control characters are escaped in JSON, so the next LF is the end.
 */
export const createPiShortcut = (): Shortcut<unknown> => {
  let known: Known | undefined

  return {
    read(piece, start, end) {
      const { latin1: plain } = piece
      if (plain.charCodeAt(start + openingMark) !== openingCode) return undefined
      if (!known || !matchesAt(plain, start, known.head)) known = learn(plain, start, end)
      if (!known) return undefined
      const literal = readStringLiteral(piece, start + known.head.length, end)
      if (!literal || literal.close + 1 >= end) return undefined
      const next = plain.charCodeAt(literal.close + 1)
      return next === COMMA || next === BRACE ? lineOf(known, literal.text) : undefined
    },
  }
}

/** Where the opening differs from that of most other lines: `{"type":"message_u…` */
const openingMark = 17
const openingCode = 'u'.charCodeAt(0)

const lineOf = ({ type, contentIndex, usage }: Known, delta: string) => ({
  type: 'message_update',
  usage,
  assistantMessageEvent: { type, contentIndex, delta },
})

const learn = (plain: string, start: number, end: number): Known | undefined => {
  const found = head.exec(plain.slice(start, Math.min(end, start + headReach)))
  if (!found) return undefined
  const usage = found[1] === undefined ? undefined : parse(found[1])
  if (found[1] !== undefined && usage === undefined) return undefined
  return { head: found[0], usage, type: found[2] ?? '', contentIndex: Number(found[3]) }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
