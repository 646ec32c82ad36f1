/**
 * A text after a unified diff of one file; undefined if the diff does not fit exactly. Lines that say
 * that the last line has no line feed are obeyed.
 */
export const applyUnified = (before: string, diff: string): string | undefined => {
  const old = linesOf(before)
  const now: string[] = []
  let at = 0
  let hunks = 0
  const lines = diff.replace(/\n$/, '').split('\n')
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    const [, start, count] = heading.exec(line) ?? []
    if (start === undefined) {
      if (hunks === 0) continue
      const isCut = lines[index + 1]?.startsWith('\\') === true
      const text = line.slice(1) + (isCut ? '' : '\n')
      if (line.startsWith('+')) now.push(text)
      else if (line.startsWith('-') || line.startsWith(' ')) {
        if (old[at] !== text) return undefined
        if (line.startsWith(' ')) now.push(text)
        at += 1
      } else if (!line.startsWith('\\')) return undefined
      continue
    }
    hunks += 1
    // A range without lines is named by the line before it.
    const first = Number(start) - (count === '0' ? 0 : 1)
    if (first < at) return undefined
    now.push(...old.slice(at, first))
    at = first
  }
  return hunks === 0 ? undefined : [...now, ...old.slice(at)].join('')
}

const heading = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []
