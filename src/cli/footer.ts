/** Rows below the output of a program: what a person types. They stay at the bottom. */
export interface Footer {
  /** Removes the rows from the screen; the cursor is where the first one began. */
  erase(): string
  /** Draws the rows, and puts the cursor where the person types. */
  draw(): string
  /** Draws what has changed since, over the rows that are on the screen. */
  update(): string
}

/** Where a footer can be, below the output. */
export interface FooterSlot {
  isShown(): boolean
  /** What to write for a piece of output, so that the footer is below it. */
  withOutput(text: string): string
  /** What to write to show, replace or remove the footer. */
  change(footer: Footer | undefined): string
  /** What to write to leave rows on the screen in place of the footer. */
  leave(rows: string): string
  /** What to write to empty the screen above the footer. */
  clear(): string
}

export const createFooterSlot = (): FooterSlot => {
  let footer: Footer | undefined
  /** Whether the output ends within a line. */
  let isMidLine = false

  return {
    isShown: () => footer !== undefined,
    withOutput(text) {
      isMidLine = !text.endsWith('\n')
      return footer ? footer.erase() + text + footer.draw() : text
    },
    change(next) {
      if (next && next === footer) return footer.update()
      const erased = footer?.erase() ?? ''
      const lineBreak = next && isMidLine ? '\n' : ''
      if (next) isMidLine = false
      footer = next
      return erased + lineBreak + (next?.draw() ?? '')
    },
    leave(rows) {
      const lineBreak = isMidLine ? '\n' : ''
      isMidLine = false
      footer = undefined
      return lineBreak + rows
    },
    clear: () => `${footer?.erase() ?? ''}\x1b[2J\x1b[H${footer?.draw() ?? ''}`,
  }
}
