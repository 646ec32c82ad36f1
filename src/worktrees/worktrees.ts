import { lstat, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Worktree } from '../events/types.ts'
import { makeChildDirectory } from '../files/make-child-directory.ts'
import { Fault } from '../shared/fault.ts'
import { reasonOf } from '../shared/reason.ts'
import { type Git, GitFault } from '../turn-diff/git.ts'
import { findWorkTree } from '../turn-diff/work-tree.ts'
import { openUserGit } from './user-git.ts'

export interface NewWorktree {
  /** The directory of the project: the top of a git work tree, or a directory in it. */
  directory: string
  /** Names the worktree and its branch. Small letters, digits and hyphens. */
  name: string
  /** Starts from the last commit, although there are changes that are not committed. */
  fromHead?: boolean | undefined
  env?: NodeJS.ProcessEnv | undefined
}

/** A worktree, and the directory in it that corresponds to the project’s. */
export interface CreatedWorktree {
  worktree: Worktree
  /** Where an agent starts. */
  cwd: string
}

/**
 * Creates a worktree with a branch of its own, in `.sluice/worktrees` of the project. Throws a `Fault`:
 * `no_repository` or `uncommitted_changes`.
 */
export const createWorktree = async (options: NewWorktree): Promise<CreatedWorktree> => {
  const { directory, name } = options
  if (!/^[a-z0-9][a-z0-9-]{0,79}$/.test(name)) throw new Error(`not a name: ${name}`)
  return orFault(async () => {
    const { git, base, prefix } = await startingPoint(options)
    const project = await realpath(directory)
    const path = join(await folderFor(project), name)
    const branch = `${branchPrefix}${name}`
    await git(['worktree', 'add', '--quiet', '-b', branch, '--', path, base])
    return { worktree: { path, branch, base, project }, cwd: resolve(path, prefix) }
  })
}

/** Whether a worktree can be made for a directory. Throws the faults of `createWorktree` if not. */
export const checkWorktree = async (options: Omit<NewWorktree, 'name'>): Promise<void> => {
  await orFault(() => startingPoint(options))
}

/** The commit that a worktree starts from, and where the directory is in the work tree. */
const startingPoint = async ({ directory, fromHead, env }: Omit<NewWorktree, 'name'>) => {
  const { prefix } = await findWorkTree(directory)
  const git = await openUserGit({ directory, env })
  const base = await lastCommit(git, directory)
  if (fromHead !== true) await refuseChanges(git, directory)
  return { git, base, prefix }
}

/**
 * Deletes a worktree with everything in it that is not committed. The branch stays if it has commits of
 * its own that the project does not have. Returns whether the branch was deleted.
 */
export const removeWorktree = (
  {
    path,
    branch,
    base,
    project,
  }: Pick<Worktree, 'path' | 'branch' | 'project'> & { base?: string },
  env?: NodeJS.ProcessEnv,
): Promise<{ isBranchDeleted: boolean }> =>
  orFault(async () => {
    const folder = worktreeFolder(project)
    // An agent may have put a link there, which would lead the deletion elsewhere.
    if (isDirectlyIn(path, folder) && (await realPathOf(folder)) === folder)
      await rm(path, { recursive: true, force: true })
    const git = await openUserGit({ directory: project, env })
    await git(['worktree', 'prune'])
    // An agent may have changed to a branch of the user.
    if (!branch.startsWith(branchPrefix)) return { isBranchDeleted: false }
    const ref = `refs/heads/${branch}`
    const { stdout } = await git(['rev-parse', '--verify', '--quiet', ref], { allow: [1] })
    const tip = stdout.toString('utf8').trim()
    const isBranchDeleted = tip !== '' && (tip === base || (await isMerged(git, tip)))
    if (isBranchDeleted) await git(['update-ref', '-d', ref, tip])
    return { isBranchDeleted }
  })

/** Makes a worktree again that was deleted: from its branch, or from the commit that it started from. */
export const restoreWorktree = (
  { path, branch, base, project }: Worktree,
  env?: NodeJS.ProcessEnv,
): Promise<void> =>
  orFault(async () => {
    if (await exists(path)) return
    await folderFor(project)
    const git = await openUserGit({ directory: project, env })
    const ref = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]
    const { code } = await git(ref, { allow: [1] })
    const from = code === 0 ? ['--', path, branch] : ['-b', branch, '--', path, base]
    await git(['worktree', 'add', '--quiet', ...from])
  })

/** How the names of branches begin that Sluice made. */
const branchPrefix = 'sluice/'

/** Whether the current branch of the project has a commit. */
const isMerged = async (git: Git, commit: string): Promise<boolean> => {
  const { code } = await git(['merge-base', '--is-ancestor', commit, 'HEAD'], { allow: [1, 128] })
  return code === 0
}

/** A path such as `folder/../elsewhere` is not in the folder. */
const isDirectlyIn = (path: string, folder: string): boolean =>
  resolve(path) === path && dirname(path) === folder

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** Where the worktrees of a project are: below it, so that the roots of a server cover them. */
export const worktreeFolder = (project: string): string => join(project, ...folders)

const folders = ['.sluice', 'worktrees'] as const

const folderFor = async (project: string): Promise<string> => {
  let at = project
  for (const name of folders) {
    at = join(at, name)
    await makeChildDirectory(at)
  }
  // A repository can bring a link with one of these names.
  if ((await realPathOf(at)) !== at)
    throw new Fault('no_repository', `${at} is a link. Worktrees are made only in a directory.`)
  // Git ignores the folder, this file included.
  await writeFile(join(at, '.gitignore'), '*\n')
  return at
}

const realPathOf = (path: string): Promise<string | undefined> =>
  realpath(path).catch(() => undefined)

const lastCommit = async (git: Git, directory: string): Promise<string> => {
  const head = ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']
  const { code, stdout } = await git(head, { allow: [1, 128] })
  if (code === 0) return stdout.toString('utf8').trim()
  throw new Fault(
    'no_repository',
    `The git repository of ${directory} has no commit yet, so there is nothing to make a worktree of.`,
  )
}

/** How many changed files are named. */
const namedChanges = 3

const refuseChanges = async (git: Git, directory: string): Promise<void> => {
  const status = ['status', '--porcelain=v1', '-z', '--no-renames', '--ignore-submodules=all']
  const { stdout } = await git(status)
  const changed = stdout.toString('utf8').split('\0').slice(0, -1)
  if (changed.length === 0) return
  const named = changed.slice(0, namedChanges).map((line) => line.slice(3))
  const others = changed.length - named.length
  const files = `${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`
  throw new Fault(
    'uncommitted_changes',
    `${directory} has changes that are not committed (${files}). A worktree would not have them. Commit or stash them, or start from the last commit.`,
  )
}

export const orFault = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof GitFault) throw faultOf(cause)
    throw cause
  }
}

const faultOf = (cause: GitFault): Fault => {
  if (cause.reason === 'git_missing')
    return new Fault('no_repository', 'Git is not installed, and worktrees need it.', { cause })
  if (cause.reason === 'no_work_tree')
    return new Fault('no_repository', `${reasonOf(cause)} Worktrees need one: run git init.`, {
      cause,
    })
  return new Fault('no_repository', reasonOf(cause), { cause })
}
