import { structuredPatch } from 'diff'
import type { Hunk } from './rows.ts'

/** The hunks of a unified diff. Lines outside of hunks, such as file names, are skipped. */
export const patchHunks = (patch: string): Hunk[] => {
  const hunks: { oldStart: number; newStart: number; lines: string[] }[] = []
  let left = { old: 0, new: 0 }
  for (const line of patch.split('\n')) {
    const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line)
    if (head) {
      const [, oldStart, oldLines = '1', newStart, newLines = '1'] = head
      hunks.push({ oldStart: Number(oldStart), newStart: Number(newStart), lines: [] })
      left = { old: Number(oldLines), new: Number(newLines) }
    } else if (left.old > 0 || left.new > 0) {
      hunks.at(-1)?.lines.push(line === '' ? ' ' : line)
      if (!line.startsWith('+') && !line.startsWith('\\')) left.old -= 1
      if (!line.startsWith('-') && !line.startsWith('\\')) left.new -= 1
    }
  }
  return hunks
}

/** Longer texts are not compared line by line, but shown as old and new. */
const longestText = 200_000

/** Texts that differ in more lines are shown as old and new, too: the time grows with the square. */
const longestEdit = 1000

/** The hunks between two texts. */
export const textHunks = (before: string, after: string, context = 3): Hunk[] => {
  if (before.length + after.length > longestText) return [replacement(before, after)]
  const patch = structuredPatch('', '', before, after, '', '', {
    context,
    maxEditLength: longestEdit,
  })
  return patch ? patch.hunks : [replacement(before, after)]
}

const replacement = (before: string, after: string): Hunk => ({
  oldStart: 1,
  newStart: 1,
  lines: [...linesOf(before, '-'), ...linesOf(after, '+')],
})

const linesOf = (text: string, sign: string): string[] =>
  text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => sign + line)
