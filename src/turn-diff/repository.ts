import { mkdir, open, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CapturedTree, captureTree } from './capture-tree.ts'
import { filtersOf, withoutFilters } from './filters.ts'
import { createGit, type Git } from './git.ts'
import type { TurnDiffLimits } from './limits.ts'
import type { UnreadFile } from './unread-files.ts'
import { findWorkTree, type WorkTree } from './work-tree.ts'

/**
 * A directory of a git repository, opened so that git writes only to an index and objects of our
 * own. The baseline and the comparison open one for each repository of a project.
 */
export interface Repository {
  git: Git
  workTree: WorkTree
  /** Captures the files as they are now; `before` are the unread files of an earlier capture. */
  capture(before?: readonly UnreadFile[]): Promise<CapturedTree>
}

/** What all repositories of one operation share. */
export interface RepositoryDeps {
  /** The git executable. */
  program: string
  env: NodeJS.ProcessEnv
  /** Stops the operation. */
  signal: AbortSignal
  limits: TurnDiffLimits
}

/**
 * Opens a directory. Git writes to `folder`. The index there begins as a copy of the user’s, or of
 * the one in an earlier folder, whose objects git can then read too.
 */
export const openRepository = async (
  deps: RepositoryDeps,
  cwd: string,
  folder: string,
  earlier?: string,
): Promise<Repository> => {
  const readOnly = createGit({ ...deps, cwd })
  const [workTree, filters] = await Promise.all([findWorkTree(readOnly, cwd), filtersOf(readOnly)])
  const objects = objectsIn(folder)
  await mkdir(objects, { recursive: true, mode: 0o700 })
  await copyIndex(earlier === undefined ? workTree.index : indexIn(earlier), indexIn(folder))
  const git = createGit({
    ...deps,
    cwd: workTree.top,
    own: {
      index: indexIn(folder),
      objects,
      otherObjects: [...(earlier === undefined ? [] : [objectsIn(earlier)]), workTree.objects],
    },
    settings: withoutFilters(filters),
  })
  return {
    git,
    workTree,
    capture: (before) =>
      captureTree({ git, workTree, filters, limits: deps.limits, ...(before && { before }) }),
  }
}

const indexIn = (folder: string) => join(folder, 'index')
const objectsIn = (folder: string) => join(folder, 'objects')

/**
 * Copies an index with its time, if it exists. A file that was written in the same second as the
 * index may have changed unseen, and git recognises such files by that time.
 */
const copyIndex = async (from: string, to: string): Promise<void> => {
  const file = await openIfExists(from)
  if (!file) return
  try {
    const { atimeMs, mtimeMs } = await file.stat()
    await writeFile(to, await file.readFile(), { mode: 0o600 })
    await utimes(to, Math.floor(atimeMs / 1000), Math.floor(mtimeMs / 1000))
  } finally {
    await file.close()
  }
}

const openIfExists = async (path: string) => {
  try {
    return await open(path)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw cause
  }
}
