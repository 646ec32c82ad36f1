import { plainLine } from '../clean-text.ts'
import type { Footer } from '../footer.ts'
import { textWidth } from '../text-width.ts'
import type { EditBuffer } from './edit-buffer.ts'
import { layOutText } from './layout.ts'

/** What the input looks like now. */
export interface InputView extends EditBuffer {
  /** In front of the first row. */
  label: string
  /** What Tab offers, below the text. */
  choices: readonly string[]
}

export interface ScreenRows {
  rows: number
  columns: number
}

/** Draws the input, and remembers what is on the screen. */
export interface InputRows extends Footer {
  /** What to write when the text was sent: its rows stay on the screen, with a line break. */
  final(): string
  /** How many columns the text may take. */
  width(): number
}

/** So many rows of a long text stay on the screen. */
const finalRows = 20
/** So many choices are listed. */
const maxChoices = 40

/** What is on the screen: its rows, how many of them are text, and where the cursor is. */
interface Drawn {
  rows: readonly string[]
  textRows: number
  /** Whether rows above or below are left out. */
  isPart: boolean
  row: number
  column: number
  columns: number
}

export const createInputRows = (
  view: () => InputView,
  size: () => ScreenRows,
  isColoured: () => boolean,
): InputRows => {
  let drawn: Drawn | undefined
  const dim = (text: string): string => (isColoured() ? `\x1b[2m${text}\x1b[22m` : text)
  // The last column stays free: terminals differ in what they do after it.
  const width = (): number => Math.max(4, size().columns - textWidth(view().label) - 1)

  const layOut = (): Drawn => {
    const { rows, row, column } = textRows(view(), width())
    const choices = choiceRows(view().choices, size().columns)
    const room = Math.max(1, size().rows - 1 - choices.length)
    const first = Math.max(0, Math.min(row - Math.floor(room / 2), rows.length - room))
    const shown = rows.slice(first, first + room)
    return {
      rows: [...shown, ...choices.map(dim)],
      textRows: shown.length,
      isPart: shown.length < rows.length,
      ...{ row: row - first, column, columns: size().columns },
    }
  }

  const erase = (): string => {
    const up = drawn ? rowsAbove(drawn, size().columns) : 0
    const isShown = drawn !== undefined
    drawn = undefined
    return isShown ? `${moved(-up)}\r\x1b[J` : ''
  }

  const draw = (): string => {
    drawn = layOut()
    const { rows, row, column } = drawn
    return rows.join('\r\n') + moved(row - (rows.length - 1)) + atColumn(column)
  }

  return {
    width,
    erase,
    draw,
    update() {
      const before = drawn
      if (before?.columns !== size().columns) return erase() + draw()
      drawn = layOut()
      return changes(before, drawn)
    },
    final() {
      const before = drawn
      const after = atEnd(layOut())
      const start = erase()
      if (before && !before.isPart && !after.isPart && before.columns === after.columns)
        return `${changes(before, after)}\x1b[J\r\n`
      const { rows } = textRows(view(), width())
      const more = rows.length - finalRows
      const shown = more > 1 ? [...rows.slice(0, finalRows), dim(`  … ${more} more rows`)] : rows
      return `${start}${shown.join('\r\n')}\r\n`
    },
  }
}

/** The text with its label, as rows. */
const textRows = (
  view: InputView,
  width: number,
): Pick<Drawn, 'row' | 'column'> & { rows: string[] } => {
  const margin = textWidth(view.label)
  const { rows, cursor } = layOutText(view, width)
  return {
    rows: rows.map((row, index) => (index === 0 ? view.label : ' '.repeat(margin)) + row.drawn),
    row: cursor.row,
    column: margin + cursor.column,
  }
}

/** How many rows of the screen are above the cursor. A narrower terminal has broken the long ones. */
const rowsAbove = ({ rows, row, column }: Drawn, columns: number): number =>
  rows
    .slice(0, row)
    .reduce((sum, each) => sum + Math.max(1, Math.ceil(textWidth(each) / columns)), 0) +
  Math.floor(column / columns)

/** The same rows with the cursor behind the text, and nothing below it. */
const atEnd = (drawn: Drawn): Drawn => {
  const rows = drawn.rows.slice(0, drawn.textRows)
  return { ...drawn, rows, row: rows.length - 1, column: textWidth(rows.at(-1) ?? '') }
}

/** What to write to turn rows on the screen into others: from the first row that differs on. */
const changes = (before: Drawn, after: Drawn): string => {
  const at = after.rows.findIndex((row, index) => row !== before.rows[index])
  const isShorter = after.rows.length < before.rows.length
  const first = at === -1 ? after.rows.length : at
  if (first === after.rows.length && !isShorter)
    return before.row === after.row && before.column === after.column
      ? ''
      : moved(after.row - before.row) + atColumn(after.column)
  return replaced(before, after, Math.min(first, after.rows.length - 1))
}

const replaced = (before: Drawn, after: Drawn, first: number): string => {
  const [old = '', row = ''] = [before.rows[first], after.rows[first]]
  const last = after.rows.length - 1
  // Text at the end is added; it need not be written again from the start.
  const isAtEnd = before.row === first && before.column === textWidth(old)
  const isAdded = isAtEnd && row.startsWith(old) && isAscii.test(row.slice(old.length))
  const start = isAdded
    ? `\x1b[J${row.slice(old.length)}`
    : `${movedTo(before, first)}\r\x1b[J${row}`
  const rest = after.rows.slice(first + 1).map((each) => `\r\n${each}`)
  const isInPlace = after.row === last && after.column === textWidth(after.rows[last] ?? '')
  const back = isInPlace ? '' : moved(after.row - last) + atColumn(after.column)
  return start + rest.join('') + back
}

const isAscii = /^[\x20-\x7e]*$/

/** Moves the cursor to a row. A row that is new needs a line break: the screen may have to scroll. */
const movedTo = ({ rows, row }: Drawn, target: number): string => {
  const isNew = target >= rows.length
  return isNew ? `${moved(rows.length - 1 - row)}\r\n` : moved(target - row)
}

/** Moves the cursor down, or up for a number below 0. */
const moved = (rows: number): string => {
  if (rows === 0) return ''
  return rows > 0 ? `\x1b[${rows}B` : `\x1b[${-rows}A`
}

const atColumn = (column: number): string => `\r${column > 0 ? `\x1b[${column}C` : ''}`

/** The choices in columns, like `ls`; the first ones if there are many. */
const choiceRows = (choices: readonly string[], columns: number): string[] => {
  if (choices.length === 0) return []
  const names = choices.slice(0, maxChoices).map((each) => shortened(plainLine(each), columns - 3))
  const cell = Math.max(...names.map(textWidth)) + 2
  const perRow = Math.max(1, Math.floor((columns - 1) / cell))
  const rows: string[] = []
  for (let at = 0; at < names.length; at += perRow)
    rows.push(
      names
        .slice(at, at + perRow)
        .map((each) => padded(each, cell))
        .join('')
        .trimEnd(),
    )
  const more = choices.length - names.length
  return more > 0 ? [...rows, `… ${more} more`] : rows
}

const padded = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - textWidth(text)))

const shortened = (text: string, width: number): string =>
  textWidth(text) <= width ? text : `${text.slice(0, Math.max(1, Math.floor(width / 2)))}…`
