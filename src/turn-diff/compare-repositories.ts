import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FileDiff } from '../api/types.ts'
import type { Baseline } from './baseline.ts'
import { type RootBase, rootPathOf } from './baseline.ts'
import { type Change, compareTrees } from './compare-trees.ts'
import { inBatches } from './concurrency.ts'
import { GitFault } from './git.ts'
import { readable } from './git-format.ts'
import { openRoot, type RootDeps } from './repository.ts'
import type { UnreadFile } from './unread-files.ts'
import { mergeUnreadFiles } from './unread-files.ts'

/** Where the earlier state is kept, and where the present one may be written. */
export interface Folders {
  earlier: string
  present: string
}

/** What became of the files of a turn, in all of its repositories. */
export const compareRoots = async (
  world: RootDeps,
  base: Baseline,
  folders: Folders,
): Promise<FileDiff[]> => {
  const known = new Set(base.roots.map(({ path }) => path))
  const found = await inBatches(base.roots, 4, (root) => compareRoot(world, root, known, folders))
  return found.flat()
}

const compareRoot = async (
  world: RootDeps,
  root: RootBase,
  known: ReadonlySet<string>,
  { earlier, present }: Folders,
): Promise<FileDiff[]> => {
  const at = rootPathOf(root, '')
  if (root.path !== '' && !existsSync(join(at, '.git'))) return [whole(root.path, 'deleted')]
  const before = join(earlier, root.folder)
  const { git, workTree, take } = await openRoot(world, at, join(present, root.folder), before)
  if (workTree.top !== root.top || workTree.prefix !== root.prefix)
    throw new GitFault('base_lost', 'The directory belongs to another repository now.')
  const now = await take(root.opaque)
  const { path } = root
  const trees = { git, before: root.tree, now: now.tree, path, limits: world.limits }
  const moved = await compareTrees({ ...trees, findMoves: true })
  const isMixed = mixes(moved, root.opaque, now.opaque)
  const inTrees = isMixed ? await compareTrees({ ...trees, findMoves: false }) : moved
  const changes = mergeUnreadFiles(inTrees, root.opaque, now.opaque)
  const cloned = now.repositories.filter(
    (each) => !root.repositories.includes(each) && !known.has(`${path}${each}`),
  )
  return [
    ...changes.map((change) => toldOf(change, path)),
    ...cloned.map((each) => whole(`${path}${each}`, 'added')),
  ]
}

/** Whether a move in the trees begins or ends at a file that has only left or entered them. */
const mixes = (
  changes: readonly Change[],
  before: readonly UnreadFile[],
  now: readonly UnreadFile[],
): boolean => {
  const was = new Set(before.map(({ path }) => path))
  const is = new Set(now.map(({ path }) => path))
  return changes.some(
    ({ path, oldPath }) => oldPath !== undefined && (was.has(path) || is.has(oldPath)),
  )
}

const toldOf = ({ path, oldPath, ...change }: Change, root: string): FileDiff => ({
  path: readable(`${root}${path}`),
  ...(oldPath !== undefined && { oldPath: readable(`${root}${oldPath}`) }),
  ...change,
})

/** A repository that came or went as a whole: named, with nothing of what is in it. */
const whole = (path: string, status: FileDiff['status']): FileDiff => ({
  path: readable(path),
  status,
  kind: 'huge',
})
