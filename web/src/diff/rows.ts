/** A section of a file before and after, as in a unified diff. */
export interface Hunk {
  /** The first line before and after; absent if it is not known where in the file the lines are. */
  readonly oldStart?: number
  readonly newStart?: number
  /** Each starts with a space, `+`, `-` or `\`. */
  readonly lines: readonly string[]
}

/** One line of a diff. */
export interface DiffRow {
  readonly kind: 'same' | 'added' | 'removed' | 'gap' | 'note'
  /** The line number before and after; absent if the line is not there. */
  readonly before?: number
  readonly after?: number
  readonly text: string
  /** The part that differs from its counterpart. */
  readonly mark?: readonly [start: number, end: number]
}

/** The lines of some hunks, with line numbers and with a gap between hunks. */
export const diffRows = (hunks: readonly Hunk[]): DiffRow[] =>
  hunks.flatMap((hunk, index) => [
    ...(index > 0 || (hunk.oldStart ?? 1) > 1 ? [gapRow] : []),
    ...withMarks(hunkRows(hunk)),
  ])

const gapRow: DiffRow = { kind: 'gap', text: '' }

const hunkRows = ({ oldStart, newStart, lines }: Hunk): DiffRow[] => {
  const nextBefore = counter(oldStart, 'before')
  const nextAfter = counter(newStart, 'after')
  return lines.map((line): DiffRow => {
    const text = line.slice(1)
    // `\ No newline at end of file`
    if (line.startsWith('\\')) return { kind: 'note', text: text.trim() }
    if (line.startsWith('+')) return { kind: 'added', ...nextAfter(), text }
    if (line.startsWith('-')) return { kind: 'removed', ...nextBefore(), text }
    return { kind: 'same', ...nextBefore(), ...nextAfter(), text }
  })
}

/** Counts lines from a number on; gives none if the first one is not known. */
const counter = (start: number | undefined, side: 'before' | 'after') => {
  let next = start
  return () => (next === undefined ? {} : { [side]: next++ })
}

/** Marks what differs between a removed line and the added line that replaces it. */
const withMarks = (rows: readonly DiffRow[]): DiffRow[] => {
  const out = rows.slice()
  for (const { removed, added } of changes(rows)) {
    if (removed.length !== added.length) continue
    removed.forEach((from, index) => {
      const to = added[index] ?? from
      const [left, right] = [rows[from], rows[to]]
      const span = left && right && sharedEnds(left.text, right.text)
      if (!span) return
      out[from] = { ...left, mark: [span.start, left.text.length - span.end] }
      out[to] = { ...right, mark: [span.start, right.text.length - span.end] }
    })
  }
  return out
}

interface Change {
  removed: number[]
  added: number[]
}

/** The indexes of removed lines, and of the added lines that replace them. */
const changes = (rows: readonly DiffRow[]): Change[] => {
  const found: Change[] = []
  rows.forEach(({ kind }, index) => {
    if (kind !== 'removed' && kind !== 'added') return
    const isFirstRemoved = kind === 'removed' && rows[index - 1]?.kind !== 'removed'
    const isFirstAdded = kind === 'added' && !isChange(rows[index - 1])
    if (isFirstRemoved || isFirstAdded) found.push({ removed: [], added: [] })
    found.at(-1)?.[kind].push(index)
  })
  return found
}

const isChange = (row: DiffRow | undefined): boolean =>
  row?.kind === 'removed' || row?.kind === 'added'

/** How much two lines share at both ends; undefined if that is too little for a mark. */
const sharedEnds = (left: string, right: string): { start: number; end: number } | undefined => {
  const shortest = Math.min(left.length, right.length)
  let start = 0
  while (start < shortest && left[start] === right[start]) start += 1
  let end = 0
  while (end < shortest - start && left.at(-1 - end) === right.at(-1 - end)) end += 1
  return (start + end) * 3 >= shortest ? { start, end } : undefined
}

/** A row of two columns: a line before, and the line that replaces it. */
export interface RowPair {
  readonly left?: DiffRow
  readonly right?: DiffRow
}

/** The same rows side by side. */
export const rowPairs = (rows: readonly DiffRow[]): RowPair[] => {
  const pairs: RowPair[] = []
  let index = 0
  while (index < rows.length) {
    const row = rows[index]
    if (row && row.kind !== 'removed' && row.kind !== 'added') {
      pairs.push({ left: row, right: row })
      index += 1
      continue
    }
    const removed = runOf(rows, index, 'removed')
    const added = runOf(rows, index + removed.length, 'added')
    for (let each = 0; each < Math.max(removed.length, added.length); each += 1)
      pairs.push({
        ...(removed[each] && { left: removed[each] }),
        ...(added[each] && { right: added[each] }),
      })
    index += removed.length + added.length
  }
  return pairs
}

const runOf = (rows: readonly DiffRow[], from: number, kind: DiffRow['kind']): DiffRow[] => {
  let to = from
  while (rows[to]?.kind === kind) to += 1
  return rows.slice(from, to)
}
