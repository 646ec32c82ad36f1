/** One change, as `git diff-tree --raw --numstat -z` tells it. */
export interface RawChange {
  letter: string
  oldId: string
  newId: string
  path: RawPath
  oldPath?: RawPath
  /** Absent for what is not text. */
  lines?: { additions: number; deletions: number }
}

/** Behind a move, both paths stand in records of their own. */
const counts = /^(\d+|-)\t(\d+|-)\t(.?)/s

/** Reads the records of the changes, and behind them the counts in the same order. */
export const readChanges = (output: Buffer): RawChange[] => {
  const records = recordsOf(output)
  const changes: RawChange[] = []
  let at = 0
  while (records[at]?.startsWith(':')) {
    const [, , oldId = '', newId = '', letter = ''] = records[at]?.split(' ') ?? []
    const first = records[at + 1] ?? ''
    const second = records[at + 2] ?? ''
    const isMove = letter.startsWith('R')
    changes.push({
      letter: letter.slice(0, 1),
      oldId,
      newId,
      ...(isMove ? { path: second, oldPath: first } : { path: first }),
    })
    at += isMove ? 3 : 2
  }
  for (const change of changes) {
    const [, additions = '-', deletions = '-', path] = counts.exec(records[at] ?? '') ?? []
    if (additions !== '-')
      change.lines = { additions: Number(additions), deletions: Number(deletions) }
    at += path === '' ? 3 : 1
  }
  return changes
}

const mark = 'diff --git '

/**
 * Cuts one long patch into those of the changes, in their order. Each line of a file’s content begins
 * with a sign, so the mark at a line’s beginning is always git’s own.
 */
export const cutPatch = (
  output: Buffer,
  isCut: boolean,
  changes: readonly RawChange[],
): (string | undefined)[] => {
  const sections = `\n${output.toString('utf8')}`.split(`\n${mark}`).slice(1)
  if (isCut) sections.pop()
  const expected = changes.reduce((sum, change) => sum + partsOf(change), 0)
  // Better no diff than one under another file’s name.
  if (!isCut && sections.length !== expected) return changes.map(() => undefined)
  let at = 0
  return changes.map((change) => {
    const mine = sections.slice(at, at + partsOf(change))
    at += partsOf(change)
    if (mine.length < partsOf(change)) return undefined
    return mine.map((text) => `${mark}${text.replace(/\n?$/, '\n')}`).join('')
  })
}

/** A file that became a link, or a link that became a file, is deleted and added. */
const partsOf = ({ letter }: RawChange): number => (letter === 'T' ? 2 : 1)

/** The sizes of objects, by their ids. One that is not there has none. */
export const readSizes = (output: Buffer): Map<string, number> =>
  new Map(
    output
      .toString('latin1')
      .split('\n')
      .map((line) => line.split(' '))
      .flatMap(([id = '', size = '']) => (/^\d+$/.test(size) ? [[id, Number(size)]] : [])),
  )

export const idsAsInput = (changes: readonly RawChange[]): Buffer => {
  const ids = changes.flatMap(({ oldId, newId }) => [oldId, newId])
  return pathBytes(
    [...new Set(ids)]
      .filter((id) => !/^0+$/.test(id))
      .map((id) => `${id}\n`)
      .join(''),
  )
}

/**
 * A path as git has it: bytes, one character each. They need not be UTF-8, and must come back to git
 * as they were.
 */
export type RawPath = string

export const pathBytes = (raw: RawPath): Buffer => Buffer.from(raw, 'latin1')
export const rawOf = (text: string): RawPath => Buffer.from(text).toString('latin1')

/** For people: what is not UTF-8 becomes a mark. */
export const readable = (raw: RawPath): string => pathBytes(raw).toString('utf8')

/** The records of an output with `-z`. */
export const recordsOf = (output: Buffer): RawPath[] => {
  const records = output.toString('latin1').split('\0')
  if (records.at(-1) === '') records.pop()
  return records
}

/** Paths as an input with `-z`. */
export const inputOf = (paths: readonly RawPath[]): Buffer =>
  pathBytes(paths.map((path) => `${path}\0`).join(''))
