import type { Terminal } from './terminal.ts'
import { textWidth } from './text-width.ts'

/** Rows at the end of the output that change in place. */
export interface LiveRows {
  /** Shows these rows in place of the ones before. They must be clean. */
  show(rows: readonly string[]): void
  remove(): void
}

/** Undefined where nobody looks at a screen, or where so many rows do not fit on it. */
export const createLiveRows = (terminal: Terminal, count: number): LiveRows | undefined => {
  const size = terminal.size()
  if (!size || size.rows <= count + 1) return undefined
  return {
    show(rows) {
      const columns = terminal.size()?.columns ?? size.columns
      const drawn = rows.map((row) => `${cutText(row, columns - 1)}\n`).join('')
      const erase = () => `\r\x1b[${rows.length}A\x1b[J`
      terminal.setFooter({ erase, draw: () => drawn, update: () => erase() + drawn })
    },
    remove: () => terminal.setFooter(undefined),
  }
}

/** The beginning of a text that fits into so many columns. */
const cutText = (text: string, columns: number): string => {
  let [shown, width] = ['', 0]
  for (const character of text) {
    width += textWidth(character)
    if (width > columns) break
    shown += character
  }
  return shown
}
