/**
 * What git prints and reads, as values: paths, lists with `-z`, changes, patches and sizes. Used by
 * everything here that runs git.
 */

/**
 * A path as git prints it: its bytes, one character each. They need not be UTF-8, and must return
 * to git unchanged.
 */
export type RawPath = string

/** The bytes of a path. */
export const pathBytes = (raw: RawPath): Buffer => Buffer.from(raw, 'latin1')

/** A path that is text, as git prints it. */
export const rawPathOf = (text: string): RawPath => Buffer.from(text).toString('latin1')

/** A path for people; bytes that are not UTF-8 become U+FFFD. */
export const readable = (raw: RawPath): string => pathBytes(raw).toString('utf8')

/** The records of an output with `-z`. */
export const recordsOf = (output: Buffer): RawPath[] => {
  const records = output.toString('latin1').split('\0')
  if (records.at(-1) === '') records.pop()
  return records
}

/** Paths as input with `-z`. */
export const pathsAsInput = (paths: readonly RawPath[]): Buffer =>
  pathBytes(paths.map((path) => `${path}\0`).join(''))

/** One change, as `git diff-tree --raw --numstat -z` prints it. */
export interface RawChange {
  /** `A`, `D`, `M`, `R` or `T`. */
  letter: string
  oldId: string
  newId: string
  path: RawPath
  /** Where the file was, if it was moved. */
  oldPath?: RawPath
  /** Absent unless both files are text. */
  lines?: { additions: number; deletions: number }
}

/** After a move, the path is empty: both paths follow as records of their own. */
const lineCounts = /^(\d+|-)\t(\d+|-)\t(.?)/s

/** Reads the records of all changes, then their line counts, which follow in the same order. */
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
    const [, additions = '-', deletions = '-', path] = lineCounts.exec(records[at] ?? '') ?? []
    if (additions !== '-')
      change.lines = { additions: Number(additions), deletions: Number(deletions) }
    at += path === '' ? 3 : 1
  }
  return changes
}

const sectionStart = 'diff --git '

/**
 * Splits one long patch into the patches of the changes, in their order; undefined for changes that
 * the output does not reach. In a patch every line of a file’s content begins with a sign, so a
 * line that begins with `diff --git` always starts a section.
 */
export const splitPatch = (
  output: Buffer,
  isTruncated: boolean,
  changes: readonly RawChange[],
): (string | undefined)[] => {
  const sections = `\n${output.toString('utf8')}`.split(`\n${sectionStart}`).slice(1)
  if (isTruncated) sections.pop()
  const expected = changes.reduce((sum, change) => sum + sectionsOf(change), 0)
  // Better no diff than one under another file’s name.
  if (!isTruncated && sections.length !== expected) return changes.map(() => undefined)
  let at = 0
  return changes.map((change) => {
    const own = sections.slice(at, at + sectionsOf(change))
    at += sectionsOf(change)
    if (own.length < sectionsOf(change)) return undefined
    return own.map((text) => `${sectionStart}${text.replace(/\n?$/, '\n')}`).join('')
  })
}

/** A file that became a link, or the reverse, has two sections: deleted and added. */
const sectionsOf = ({ letter }: RawChange): number => (letter === 'T' ? 2 : 1)

/** Reads the sizes of objects by their ids. Missing objects have none. */
export const readSizes = (output: Buffer): Map<string, number> =>
  new Map(
    output
      .toString('latin1')
      .split('\n')
      .map((line) => line.split(' '))
      .flatMap(([id = '', size = '']) => (/^\d+$/.test(size) ? [[id, Number(size)]] : [])),
  )

/** The ids of all objects in some changes, one per line. */
export const idsAsInput = (changes: readonly RawChange[]): Buffer => {
  const ids = changes.flatMap(({ oldId, newId }) => [oldId, newId])
  return pathBytes(
    [...new Set(ids)]
      .filter((id) => !/^0+$/.test(id))
      .map((id) => `${id}\n`)
      .join(''),
  )
}
