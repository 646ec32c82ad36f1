import type { StructuredPatchHunk } from 'diff'

/** Sign, number of the line (the new one for `+`, the old one otherwise), text. */
const numbered = /^([ +-]) *(\d+) (.*)$/s

/** Reads the diff that Pi shows: each line with its number, `...` where some are left out. */
export const readNumberedDiff = (text: string): StructuredPatchHunk[] => {
  const hunks: StructuredPatchHunk[] = []
  /** How much further the new lines are than the old ones. */
  let ahead = 0
  let open: StructuredPatchHunk | undefined
  for (const line of text.split('\n')) {
    const [, sign = '', digits = '', content = ''] = numbered.exec(line) ?? []
    if (sign === '') {
      open = undefined
      continue
    }
    const number = Number(digits)
    const oldStart = sign === '+' ? number - ahead : number
    if (!open) {
      open = { oldStart, newStart: oldStart + ahead, oldLines: 0, newLines: 0, lines: [] }
      hunks.push(open)
    }
    open.lines.push(`${sign}${content}`)
    if (sign !== '+') open.oldLines += 1
    if (sign !== '-') open.newLines += 1
    if (sign !== ' ') ahead += sign === '+' ? 1 : -1
  }
  return hunks
}
