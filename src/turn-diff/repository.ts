import { type CapturedTree, captureTree } from './capture-tree.ts'
import type { Git } from './git.ts'
import type { TurnDiffLimits } from './limits.ts'
import { createOwnRepository } from './own-repository.ts'
import type { UnreadFile } from './unread-files.ts'
import { findWorkTree, noWorkTree, type WorkTree } from './work-tree.ts'

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
  const workTree = await findWorkTree(cwd)
  const { git, filters } = await createOwnRepository({ ...deps, workTree, folder, earlier })
  if (workTree.prefix !== '' && (await isIgnored(git, workTree.prefix))) throw noWorkTree(cwd)
  return {
    git,
    workTree,
    capture: (before) =>
      captureTree({ git, workTree, filters, limits: deps.limits, ...(before && { before }) }),
  }
}

/**
 * Whether the whole directory is ignored, as a project in a home directory that is a repository
 * itself. Git would see nothing of what changes there.
 */
const isIgnored = async (git: Git, prefix: string): Promise<boolean> => {
  const { code } = await git(['check-ignore', '-q', '--no-index', '--', prefix], { allow: [1] })
  if (code !== 0) return false
  const inside = ['--', `:(top,literal)${prefix}`]
  const tracked = await git(['ls-files', '-z', ...inside], { maxBytes: 1, mayTruncate: true })
  return tracked.stdout.length === 0
}
