import { wrapText } from '../wrap-text.ts'

/** The size of the screen, in characters. */
export interface ScreenSize {
  rows: number
  columns: number
}

/** A line of a question: our own, or one of the agent, which is marked so that it cannot pass as ours. */
export interface QuestionLine {
  text: string
  isQuoted: boolean
}

/** A question on the screen: what it is about, and what can be typed below it. */
export interface Question {
  title: string
  lines: readonly QuestionLine[]
  warnings: readonly string[]
  keys: readonly string[]
}

/**
 * The rows of a question, in pages that fit on the screen. The first row is the title; warnings come
 * first, and again at the end of a long question. Without a screen, everything is one page.
 */
export const pagesOf = (question: Question, size: ScreenSize | undefined): string[][] => {
  const { columns, rows: height } = size ?? { columns: Number.MAX_SAFE_INTEGER, rows: 0 }
  const width = Math.max(20, columns - quote.length - 1)
  const [title = '', ...moreTitle] = cut(question.title, width)
  const warnings = question.warnings.flatMap((text) => own(text, width))
  const body = question.lines.flatMap(({ text, isQuoted }) =>
    isQuoted ? quotedRows(text, width) : own(text, width),
  )
  const rows = [title, ...moreTitle.map((row) => `  ${row}`), ...warnings, ...body]
  const keys = question.keys.flatMap((text) =>
    keyRows(text, columns).flatMap((row) => cut(row, width)),
  )
  const room = size ? Math.max(3, height - keys.length - 2) : Number.POSITIVE_INFINITY
  if (rows.length <= room) return [rows]
  return chunked([...rows, ...warnings], room)
}

/**
 * What can be typed, in rows that break between words. A row that continues is indented further: a pattern
 * has words of the agent, which must not look like a row of ours.
 */
export const keyRows = (text: string, columns: number): string[] =>
  wrapText(text, Math.max(20, columns - 2), '  ')
    .split('\n')
    .map((row, index) => (index === 0 ? row : `  ${row}`))

const chunked = (rows: readonly string[], size: number): string[][] =>
  Array.from({ length: Math.ceil(rows.length / size) }, (_, index) =>
    rows.slice(index * size, (index + 1) * size),
  )

const own = (text: string, width: number): string[] => cut(text, width).map((row) => `  ${row}`)

const quotedRows = (text: string, width: number): string[] =>
  cut(text, width).map((row, index) => `${index === 0 ? quote : continued}${row}`)

const quote = '  │ '
const continued = '  ┊ '

/** The text in rows. Colours take no room, and every other character that is not ASCII two columns. */
const cut = (text: string, width: number): string[] => {
  if (text.length <= width / 2) return [text]
  const rows: string[] = []
  let row = ''
  let used = 0
  for (const token of text.match(tokens) ?? []) {
    const columns = token.startsWith('\x1b') ? 0 : isAscii.test(token) ? 1 : 2
    if (used + columns > width) {
      rows.push(row)
      row = ''
      used = 0
    }
    row += token
    used += columns
  }
  return [...rows, row]
}

const colour = String.raw`\x1b\[[\d;]*m`
const tokens = new RegExp(`${colour}|.`, 'gsu')
const isAscii = /^[\x20-\x7e]$/
