import { resolve } from 'node:path'
import type { Git } from './git.ts'
import { GitFault } from './git.ts'

/** A directory inside a git work tree. */
export interface WorkTree {
  top: string
  /** The way from the top to the directory, with a slash at its end; empty at the top. */
  prefix: string
  /** The user’s own files. */
  index: string
  objects: string
}

const questions = [
  '--is-inside-work-tree',
  '--show-toplevel',
  '--show-prefix',
  ...['--git-path', 'index'],
  ...['--git-path', 'objects'],
]

/** Finds the work tree that a directory lies in. */
export const findWorkTree = async (git: Git, cwd: string): Promise<WorkTree> => {
  const lines = await answersOf(git)
  const [isInside, top, prefix, index, objects] = lines
  if (isInside !== 'true') throw noWorkTree(cwd)
  if (lines.length !== 6 || !top || prefix === undefined || !index || !objects)
    throw new GitFault('git_failed', 'Git’s answer about the work tree is not understood.')
  const found = { top, prefix, index: resolve(cwd, index), objects: resolve(cwd, objects) }
  if (prefix !== '' && (await isLeftOut(git))) throw noWorkTree(cwd)
  return found
}

const answersOf = async (git: Git): Promise<string[]> => {
  try {
    const { stdout } = await git(['rev-parse', ...questions])
    return stdout.toString('utf8').split('\n')
  } catch (cause) {
    const isNone =
      cause instanceof GitFault && /not a git repository|run in a work tree/.test(cause.message)
    throw isNone ? new GitFault('no_work_tree', cause.message) : cause
  }
}

/**
 * Whether a directory is ignored as a whole, as a project below a home directory that is itself a
 * repository. Git would see nothing of what happens there.
 */
const isLeftOut = async (git: Git): Promise<boolean> => {
  const { code } = await git(['check-ignore', '-q', '.'], { allow: [1] })
  if (code !== 0) return false
  const tracked = await git(['ls-files', '-z', '--', '.'], { maxBytes: 1, mayCut: true })
  return tracked.stdout.length === 0
}

const noWorkTree = (cwd: string) => new GitFault('no_work_tree', `${cwd} is in no work tree.`)
