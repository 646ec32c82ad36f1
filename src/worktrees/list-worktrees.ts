import { lstat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { WorktreeStatus } from '../events/types.ts'
import { type Git, GitFault } from '../turn-diff/git.ts'
import { findWorkTree } from '../turn-diff/work-tree.ts'
import { openUserGit } from './user-git.ts'
import { orFault, worktreeFolder } from './worktrees.ts'

/** A worktree that Sluice made for a project. */
export interface FoundWorktree {
  path: string
  /** Its branch. Absent if the worktree is on no branch, such as after a checkout of a commit. */
  branch?: string
}

/** The worktrees in `.sluice/worktrees` of a project, by name. None if it has no repository. */
export const listWorktrees = async (
  project: string,
  env?: NodeJS.ProcessEnv,
): Promise<FoundWorktree[]> => {
  const folder = worktreeFolder(project)
  if (!(await isDirectory(folder))) return []
  try {
    await findWorkTree(project)
    const git = await openUserGit({ directory: project, env })
    const { stdout } = await git(['worktree', 'list', '--porcelain', '-z'])
    return parseList(stdout.toString('utf8'))
      .filter(({ path }) => dirname(path) === folder)
      .sort((a, b) => basename(a.path).localeCompare(basename(b.path)))
  } catch (cause) {
    if (cause instanceof GitFault) return []
    throw cause
  }
}

/** What deleting a worktree would lose, and what its branch has that the project does not. */
export const readWorktreeStatus = (
  { path, branch }: FoundWorktree,
  { project, env }: { project: string; env?: NodeJS.ProcessEnv | undefined },
): Promise<WorktreeStatus> =>
  orFault(async () => {
    if (!(await isDirectory(path))) return { state: 'missing', changedFiles: 0, commits: 0 }
    const changedFiles = await countChanges(await openUserGit({ directory: path, env }))
    const git = await openUserGit({ directory: project, env })
    const commits = branch === undefined ? 0 : await countCommits(git, branch)
    return { state: changedFiles === 0 ? 'clean' : 'changed', changedFiles, commits }
  })

const countChanges = async (git: Git): Promise<number> => {
  const status = ['status', '--porcelain=v1', '-z', '--no-renames', '--ignore-submodules=all']
  const { stdout } = await git(status)
  return stdout.toString('utf8').split('\0').length - 1
}

/** The commits of a branch that the current branch of the project does not have. */
const countCommits = async (git: Git, branch: string): Promise<number> => {
  const count = ['rev-list', '--count', '--max-count=1000', `refs/heads/${branch}`, '--not', 'HEAD']
  const { stdout } = await git(count, { allow: [128] })
  return Number(stdout.toString('utf8').trim()) || 0
}

/** Records of lines, each with a NUL at its end; an empty line ends a record. */
const parseList = (text: string): FoundWorktree[] =>
  text.split('\0\0').flatMap((record) => {
    const fields = new Map(record.split('\0').map((line) => splitAtSpace(line)))
    const path = fields.get('worktree')
    const branch = fields.get('branch')?.replace(/^refs\/heads\//, '')
    return path === undefined ? [] : [{ path, ...(branch !== undefined && { branch }) }]
  })

const splitAtSpace = (line: string): [string, string] => {
  const at = line.indexOf(' ')
  return at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)]
}

const isDirectory = (path: string): Promise<boolean> =>
  lstat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
