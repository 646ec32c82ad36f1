import type { EditHunk } from './file-edit.ts'

/** Sign, line number (in the new file for `+`, else in the old one), text. */
const numberedLine = /^([ +-]) *(\d+) (.*)$/s

/** Reads the diff that Pi prints: every line has a number, and `...` stands for lines left out. */
export const readNumberedDiff = (text: string): EditHunk[] => {
  const hunks: OpenHunk[] = []
  /** The number of a line in the new file minus its number in the old one. */
  let offset = 0
  let open: OpenHunk | undefined
  for (const line of text.split('\n')) {
    const [, sign = '', digits = '', content = ''] = numberedLine.exec(line) ?? []
    if (sign === '') {
      open = undefined
      continue
    }
    const number = Number(digits)
    const oldStart = sign === '+' ? number - offset : number
    if (!open) {
      open = { oldStart, newStart: oldStart + offset, oldLines: 0, newLines: 0, lines: [] }
      hunks.push(open)
    }
    open.lines.push(`${sign}${content}`)
    if (sign !== '+') open.oldLines += 1
    if (sign !== '-') open.newLines += 1
    if (sign !== ' ') offset += sign === '+' ? 1 : -1
  }
  return hunks
}

/** A hunk whose lines are still being counted. */
type OpenHunk = { -readonly [Key in keyof EditHunk]: EditHunk[Key] }
