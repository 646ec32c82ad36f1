import type { Replacement } from './file-edit.ts'

/** The hunks of a unified diff as texts to replace; undefined if a hunk cannot be read that way. */
export const diffReplacements = (diff: string): Replacement[] | undefined => {
  const hunks = diff.split(/^@@[^\n]*\n/m).slice(1)
  const replacements = hunks.map((hunk) => {
    const lines = hunk.split('\n').slice(0, -1)
    const side = (sign: '-' | '+') =>
      lines
        .filter((line) => line.startsWith(' ') || line.startsWith(sign))
        .map((line) => `${line.slice(1)}\n`)
        .join('')
    return { from: side('-'), to: side('+'), isAll: false }
  })
  const isCertain = replacements.length > 0 && !/^\\/m.test(diff)
  return isCertain && replacements.every(({ from }) => from !== '') ? replacements : undefined
}
