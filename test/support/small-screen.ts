import { graphemesOf, graphemeWidth } from '../../src/cli/text-width.ts'

/** A terminal that understands just what the line editor writes. Anything else is an error. */
export const createSmallScreen = (columns: number) => {
  let rows: string[][] = [[]]
  let row = 0
  let column = 0

  const put = (grapheme: string): void => {
    const width = graphemeWidth(grapheme)
    if (column + width > columns) throw new Error(`“${grapheme}” does not fit into its row`)
    const cells = rows[row] ?? []
    while (cells.length < column) cells.push(' ')
    cells.splice(column, width, grapheme, ...Array.from({ length: width - 1 }, () => ''))
    column += width
  }

  const control = (count: number, letter: string): void => {
    if (letter === 'A') row -= count
    else if (letter === 'B') row += count
    else if (letter === 'C') column += count
    else if (letter === 'J') {
      rows = rows.slice(0, row + 1)
      rows[row] = (rows[row] ?? []).slice(0, column)
    } else throw new Error(`unexpected sequence with ${letter}`)
    if (row < 0 || row >= rows.length) throw new Error('the cursor left the screen')
  }

  return {
    write(text: string): void {
      for (const [part, count, letter = ''] of text.matchAll(pieces)) {
        if (letter !== '') control(Number(count || 1), letter)
        else if (part === '\r') column = 0
        else if (part === '\n') {
          row += 1
          rows[row] ??= []
        } else for (const each of graphemesOf(part)) put(each)
      }
    },
    /** The rows without blanks at their ends, and the cursor. */
    shown: () => ({ rows: rows.map((cells) => cells.join('').trimEnd()), row, column }),
  }
}

const esc = String.raw`\x1b`
const pieces = new RegExp(String.raw`${esc}\[(\d*)([A-Z])|\r|\n|[^\r\n${esc}]+`, 'g')
