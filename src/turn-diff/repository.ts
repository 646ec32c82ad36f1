import { mkdir, open, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TreeSnapshot, takeSnapshot } from './capture-tree.ts'
import { filtersOf, withoutFilters } from './filters.ts'
import { createGit, type Git } from './git.ts'
import type { TurnDiffLimits } from './limits.ts'
import type { UnreadFile } from './unread-files.ts'
import { findWorkTree, type WorkTree } from './work-tree.ts'

/** What is the same for all that git is asked in one go. */
export interface RootDeps {
  program: string
  env: NodeJS.ProcessEnv
  signal: AbortSignal
  limits: TurnDiffLimits
}

/** A directory of a repository, with an index and objects of our own to write to. */
export interface Root {
  git: Git
  workTree: WorkTree
  take(before?: readonly UnreadFile[]): Promise<TreeSnapshot>
}

/**
 * Opens a directory; `folder` is where everything goes that git writes. It begins with the user’s
 * index, or with the one of an earlier folder, whose objects are then found too.
 */
export const openRoot = async (
  world: RootDeps,
  cwd: string,
  folder: string,
  earlier?: string,
): Promise<Root> => {
  const asking = createGit({ ...world, cwd })
  const [workTree, filters] = await Promise.all([findWorkTree(asking, cwd), filtersOf(asking)])
  const objects = objectsOf(folder)
  await mkdir(objects, { recursive: true, mode: 0o700 })
  await copyIndex(earlier === undefined ? workTree.index : indexOf(earlier), indexOf(folder))
  const git = createGit({
    ...world,
    cwd: workTree.top,
    own: {
      index: indexOf(folder),
      objects,
      others: [...(earlier === undefined ? [] : [objectsOf(earlier)]), workTree.objects],
    },
    settings: withoutFilters(filters),
  })
  return {
    git,
    workTree,
    take: (before) =>
      takeSnapshot({ git, workTree, filters, limits: world.limits, ...(before && { before }) }),
  }
}

const indexOf = (folder: string) => join(folder, 'index')
const objectsOf = (folder: string) => join(folder, 'objects')

/**
 * Copies an index with its time: a file that was written in the same second as the index may have
 * changed unseen, and git knows such files by that time. None is made where there is none.
 */
export const copyIndex = async (from: string, to: string): Promise<void> => {
  const file = await openIfThere(from)
  if (!file) return
  try {
    const { atimeMs, mtimeMs } = await file.stat()
    await writeFile(to, await file.readFile(), { mode: 0o600 })
    await utimes(to, Math.floor(atimeMs / 1000), Math.floor(mtimeMs / 1000))
  } finally {
    await file.close()
  }
}

const openIfThere = async (path: string) => {
  try {
    return await open(path)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw cause
  }
}
