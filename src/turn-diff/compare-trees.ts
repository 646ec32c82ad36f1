import type { FileDiff } from '../api/types.ts'
import type { Git } from './git.ts'
import {
  idsAsInput,
  type RawChange,
  type RawPath,
  readable,
  readChanges,
  readSizes,
  splitPatch,
} from './git-format.ts'
import type { TurnDiffLimits } from './limits.ts'

/** A file that changed, with its path as git prints it. */
export interface Change extends Omit<FileDiff, 'path' | 'oldPath'> {
  path: RawPath
  oldPath?: RawPath
}

export interface CompareTreesOptions {
  git: Git
  /** The id of the earlier tree. */
  before: string
  /** The id of the present tree. */
  now: string
  /** The path of both in the project directory: diffs name whole paths. */
  path: RawPath
  limits: TurnDiffLimits
  /** Whether a deleted and an added file with similar content are reported as one that moved. */
  findMoves: boolean
}

const plain = ['--no-color', '--no-ext-diff', '--no-textconv', '--ignore-submodules=none']
const diffTree = (findMoves: boolean) => [
  'diff-tree',
  '-r',
  ...(findMoves ? ['--find-renames', '-l1000'] : ['--no-renames']),
  ...plain,
]

/** Compares two trees of a repository, with a diff for each text file that is not too large. */
export const compareTrees = async (options: CompareTreesOptions): Promise<Change[]> => {
  const { git, before, now, limits, findMoves } = options
  if (before === now) return []
  const listed = await git([...diffTree(findMoves), '-z', '--raw', '--numstat', before, now])
  const changes = readChanges(listed.stdout)
  const [sizes, patches] = await Promise.all([sizesOf(git, changes), patchesOf(options, changes)])
  return changes.map((change, at) => {
    const size = sizes.get(change.newId)
    const largest = Math.max(size ?? 0, sizes.get(change.oldId) ?? 0)
    return {
      path: change.path,
      ...(change.oldPath !== undefined && { oldPath: change.oldPath }),
      status: statuses[change.letter] ?? 'modified',
      ...(size !== undefined && { size }),
      ...contentOf(change, largest, patches[at], limits),
    }
  })
}

const statuses: Readonly<Record<string, FileDiff['status']>> = {
  A: 'added',
  D: 'deleted',
  R: 'renamed',
}

const contentOf = (
  { lines }: RawChange,
  size: number,
  diff: string | undefined,
  { fileBytes, diffBytes }: TurnDiffLimits,
): Pick<FileDiff, 'kind' | 'additions' | 'deletions' | 'diff'> => {
  if (size > fileBytes) return { kind: 'huge' }
  if (!lines) return { kind: 'binary' }
  if (diff === undefined) return { kind: 'text', ...lines }
  if (Buffer.byteLength(diff) > diffBytes) return { kind: 'huge', ...lines }
  return { kind: 'text', ...lines, diff }
}

const sizesOf = async (git: Git, changes: readonly RawChange[]): Promise<Map<string, number>> => {
  const args = ['cat-file', '--batch-check=%(objectname) %(objectsize)']
  const { stdout } = await git(args, { input: idsAsInput(changes) })
  return readSizes(stdout)
}

const patchesOf = async (
  { git, before, now, path, limits, findMoves }: CompareTreesOptions,
  changes: readonly RawChange[],
): Promise<(string | undefined)[]> => {
  const at = readable(path)
  const format = ['--patch', '--unified=3', '--diff-algorithm=default']
  const names = [`--src-prefix=a/${at}`, `--dst-prefix=b/${at}`]
  const args = [...diffTree(findMoves), ...format, ...names, before, now]
  const { stdout, isTruncated } = await git(args, {
    maxBytes: 4 * limits.answerBytes,
    mayTruncate: true,
  })
  return splitPatch(stdout, isTruncated, changes)
}
