import { resolve } from 'node:path'
import { type Git, GitFault } from './git.ts'

/** A directory inside a git work tree. Finding it is the first thing that git does. */
export interface WorkTree {
  /** The top directory of the work tree. */
  top: string
  /** The path from the top to the directory, with a slash at its end; empty at the top. */
  prefix: string
  /** The user’s own index. */
  index: string
  /** The user’s own objects. */
  objects: string
}

const queries = [
  '--is-inside-work-tree',
  '--show-toplevel',
  '--show-prefix',
  ...['--git-path', 'index'],
  ...['--git-path', 'objects'],
]

/** Finds the work tree of a directory. Throws a `GitFault` with `no_work_tree` if there is none. */
export const findWorkTree = async (git: Git, cwd: string): Promise<WorkTree> => {
  const lines = await runQueries(git)
  const [isInside, top, prefix, index, objects] = lines
  if (isInside !== 'true') throw noWorkTree(cwd)
  if (lines.length !== 6 || !top || prefix === undefined || !index || !objects)
    throw new GitFault('git_failed', 'git rev-parse printed something unexpected.')
  const found = { top, prefix, index: resolve(cwd, index), objects: resolve(cwd, objects) }
  if (prefix !== '' && (await isIgnored(git))) throw noWorkTree(cwd)
  return found
}

const runQueries = async (git: Git): Promise<string[]> => {
  try {
    const { stdout } = await git(['rev-parse', ...queries])
    return stdout.toString('utf8').split('\n')
  } catch (cause) {
    const isOutside =
      cause instanceof GitFault && /not a git repository|run in a work tree/.test(cause.message)
    throw isOutside ? new GitFault('no_work_tree', cause.message) : cause
  }
}

/**
 * Whether the whole directory is ignored, as a project in a home directory that is a repository
 * itself. Git would see nothing of what changes there.
 */
const isIgnored = async (git: Git): Promise<boolean> => {
  const { code } = await git(['check-ignore', '-q', '.'], { allow: [1] })
  if (code !== 0) return false
  const tracked = await git(['ls-files', '-z', '--', '.'], { maxBytes: 1, mayTruncate: true })
  return tracked.stdout.length === 0
}

const noWorkTree = (cwd: string) =>
  new GitFault('no_work_tree', `${cwd} is not in a git work tree.`)
