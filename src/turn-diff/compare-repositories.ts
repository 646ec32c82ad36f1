import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FileDiff } from '../api/types.ts'
import { type Baseline, directoryOf, type RepositoryBaseline } from './baseline.ts'
import { type Change, compareTrees } from './compare-trees.ts'
import { inBatches } from './concurrency.ts'
import { GitFault } from './git.ts'
import { readable } from './git-format.ts'
import { openRepository, type RepositoryDeps } from './repository.ts'
import { mergeUnreadFiles, type UnreadFile } from './unread-files.ts'

/** Where the baseline is stored, and where git may write the present state. */
export interface CompareFolders {
  baseline: string
  present: string
}

/** Finds what changed in the repositories of a project. Called by `turn-diffs.ts`. */
export const compareRepositories = async (
  deps: RepositoryDeps,
  { repositories }: Baseline,
  folders: CompareFolders,
): Promise<FileDiff[]> => {
  const captured = new Set(repositories.map(({ path }) => path))
  const found = await inBatches(repositories, 4, (before) =>
    compareRepository(deps, before, captured, folders),
  )
  return found.flat()
}

/** `captured` are the paths of all repositories in the baseline. */
const compareRepository = async (
  deps: RepositoryDeps,
  before: RepositoryBaseline,
  captured: ReadonlySet<string>,
  folders: CompareFolders,
): Promise<FileDiff[]> => {
  const { path, folder } = before
  const at = directoryOf(before)
  if (path !== '' && !existsSync(join(at, '.git'))) return [wholeRepository(path, 'deleted')]
  const { git, workTree, capture } = await openRepository(
    deps,
    at,
    join(folders.present, folder),
    join(folders.baseline, folder),
  )
  if (workTree.top !== before.top || workTree.prefix !== before.prefix)
    throw new GitFault('base_lost', `${at} belongs to another repository now.`)
  const now = await capture(before.unread)
  const trees = { git, before: before.tree, now: now.tree, path, limits: deps.limits }
  const withMoves = await compareTrees({ ...trees, findMoves: true })
  const inTrees = movesUnread(withMoves, before.unread, now.unread)
    ? await compareTrees({ ...trees, findMoves: false })
    : withMoves
  const changes = mergeUnreadFiles(inTrees, before.unread, now.unread)
  const cloned = now.nested.filter(
    (each) => !before.nested.includes(each) && !captured.has(`${path}${each}`),
  )
  return [
    ...changes.map((change) => fileDiffOf(change, path)),
    ...cloned.map((each) => wholeRepository(`${path}${each}`, 'added')),
  ]
}

/** Whether a move ends at a file that was unread before, or starts at one that is unread now. */
const movesUnread = (
  changes: readonly Change[],
  before: readonly UnreadFile[],
  now: readonly UnreadFile[],
): boolean => {
  const unreadBefore = new Set(before.map(({ path }) => path))
  const unreadNow = new Set(now.map(({ path }) => path))
  return changes.some(
    ({ path, oldPath }) =>
      oldPath !== undefined && (unreadBefore.has(path) || unreadNow.has(oldPath)),
  )
}

const fileDiffOf = ({ path, oldPath, ...change }: Change, repository: string): FileDiff => ({
  path: readable(`${repository}${path}`),
  ...(oldPath !== undefined && { oldPath: readable(`${repository}${oldPath}`) }),
  ...change,
})

/** A repository that was added or deleted as a whole: its files are not listed. */
const wholeRepository = (path: string, status: FileDiff['status']): FileDiff => ({
  path: readable(path),
  status,
  kind: 'huge',
})
