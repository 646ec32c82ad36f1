import { cleanText } from '../clean-text.ts'
import { graphemesOf, graphemeWidth, textWidth } from '../text-width.ts'
import type { EditBuffer } from './edit-buffer.ts'

/** One row of the input on the screen. */
interface LayoutRow {
  /** What is drawn, without the prompt. */
  drawn: string
  width: number
  /** Where the row begins and ends in the text. */
  start: number
  end: number
}

/** A text as rows of a screen, and the cursor in them. */
export interface Layout {
  rows: readonly LayoutRow[]
  cursor: { row: number; column: number }
}

/**
 * Breaks a text into rows of at most `width` columns. Characters that control or hide something are
 * drawn as escapes, so a paste cannot control the screen.
 */
export const layOutText = ({ text, cursor }: EditBuffer, width: number): Layout => {
  const rows: LayoutRow[] = []
  let start = 0
  for (const line of text.split('\n')) {
    rows.push(...rowsOf(line, start, width))
    start += line.length + 1
  }
  const row = rows.findLastIndex((each) => each.start <= cursor)
  const { start: from = 0 } = rows[row] ?? {}
  return { rows, cursor: { row, column: drawnWidth(text.slice(from, cursor)) } }
}

/** Where in the text the cursor is after it moved up or down; undefined at the first or last row. */
export const movedByRows = (buffer: EditBuffer, width: number, by: number): number | undefined => {
  const { rows, cursor } = layOutText(buffer, width)
  const target = rows[cursor.row + by]
  if (!target) return undefined
  let offset = target.start
  let column = 0
  for (const grapheme of graphemesOf(buffer.text.slice(target.start, target.end))) {
    column += textWidth(drawnAs(grapheme))
    if (column > cursor.column) break
    offset += grapheme.length
  }
  // The end of a row that is not the last one of its line belongs to the next row.
  const isNext = offset === target.end && rows[cursor.row + by + 1]?.start === offset
  return isNext
    ? offset - (graphemesOf(buffer.text.slice(target.start, offset)).at(-1)?.length ?? 0)
    : offset
}

const rowsOf = (line: string, start: number, width: number): LayoutRow[] => {
  const rows: LayoutRow[] = []
  let row: LayoutRow = { drawn: '', width: 0, start, end: start }
  for (const piece of piecesOf(line, width)) {
    const drawn = drawnAs(piece)
    const columns = textWidth(drawn)
    if (row.width + columns > width && row.width > 0) {
      rows.push(row)
      row = { drawn: '', width: 0, start: row.end, end: row.end }
    }
    row.drawn += drawn
    row.width += columns
    row.end += piece.length
  }
  return [...rows, row]
}

/** The characters of a line; an ordinary line in pieces that fill a row. */
const piecesOf = (line: string, width: number): string[] => {
  if (!isOrdinary.test(line)) return graphemesOf(line)
  return line.match(new RegExp(`.{1,${width}}`, 'g')) ?? []
}

const isOrdinary = /^[\x20-\x7e]*$/

const drawnWidth = (text: string): number =>
  graphemesOf(text).reduce((sum, each) => sum + textWidth(drawnAs(each)), 0)

/** A character as the screen shows it. */
const drawnAs = (piece: string): string => {
  if (piece === '\t') return '    '
  const clean = cleanText(piece, { isColoured: false })
  // A mark without a letter would be drawn onto what is before it.
  return graphemeWidth(piece) === 0 && clean === piece ? `\u25cc${piece}` : clean
}
