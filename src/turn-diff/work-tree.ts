import { lstat, realpath } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { readRegularFile } from '../files/read-regular-file.ts'
import { GitFault } from './git.ts'

/**
 * A directory inside a git work tree. It is found without git: git would read the settings of the
 * repository, which may be a stranger’s.
 */
export interface WorkTree {
  /** The top directory of the work tree. */
  top: string
  /** The path from the top to the directory, with a slash at its end; empty at the top. */
  prefix: string
  /** The user’s own index is in this directory. */
  gitDirectory: string
  /** The user’s own objects and settings are in this directory. */
  commonDirectory: string
}

/** Finds the work tree of a directory. Throws a `GitFault` with `no_work_tree` if there is none. */
export const findWorkTree = async (cwd: string): Promise<WorkTree> => {
  const directory = await realPathOf(cwd)
  for (let top = directory; ; top = dirname(top)) {
    const found = await repositoryAt(top)
    const inside = relative(top, directory)
    if (found && inside.split('/').includes('.git')) break
    if (found) {
      await refusePipes(top, inside)
      return { top, prefix: inside === '' ? '' : `${inside}/`, ...found }
    }
    if (top === dirname(top)) break
  }
  throw noWorkTree(cwd)
}

export const noWorkTree = (cwd: string): GitFault =>
  new GitFault('no_work_tree', `${cwd} is not in a git work tree.`)

const realPathOf = async (cwd: string): Promise<string> => {
  try {
    return await realpath(cwd)
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause)) throw cause
    throw new GitFault('no_work_tree', `The directory ${cwd} does not exist.`)
  }
}

/**
 * Git waits for the writer of a pipe until it is stopped. These are the files that git reads first;
 * a pipe further below is found by the time limit.
 */
const refusePipes = async (top: string, inside: string): Promise<void> => {
  const folders = inside.split('/').map((_, at, names) => join(top, ...names.slice(0, at + 1)))
  for (const folder of new Set([top, ...folders]))
    for (const name of ['.gitattributes', '.gitignore'])
      if ((await kindOf(join(folder, name))) === 'other')
        throw new GitFault('git_failed', `${join(folder, name)} is not a regular file.`)
}

type Repository = Pick<WorkTree, 'gitDirectory' | 'commonDirectory'>

/** The repository whose work tree starts at a directory; undefined if there is none. */
const repositoryAt = async (top: string): Promise<Repository | undefined> => {
  const path = join(top, '.git')
  const kind = await kindOf(path)
  if (kind === 'missing') return undefined
  // A linked work tree or a submodule has a file that names the directory.
  const gitDirectory = kind === 'folder' ? path : await namedIn(path, /^gitdir: (.+)$/m)
  if (gitDirectory === undefined) return undefined
  const common = await namedIn(join(gitDirectory, 'commondir'), /^(.+)$/m)
  const commonDirectory = common ?? gitDirectory
  const isRepository =
    (await kindOf(join(gitDirectory, 'HEAD'))) === 'file' &&
    (await kindOf(join(commonDirectory, 'objects'))) === 'folder'
  return isRepository ? { gitDirectory, commonDirectory } : undefined
}

/** The path that a small file names, relative to the file’s own directory. */
const namedIn = async (path: string, pattern: RegExp): Promise<string | undefined> => {
  const read = await readRegularFile(path, 8192)
  if (typeof read === 'string') return undefined
  const named = pattern.exec(read.bytes.toString('utf8'))?.[1]
  return named === undefined ? undefined : resolve(dirname(path), named)
}

/** What is at a path. Pipes, sockets and devices are `other`. */
const kindOf = async (path: string): Promise<'file' | 'folder' | 'other' | 'missing'> => {
  try {
    const stats = await lstat(path)
    if (stats.isDirectory()) return 'folder'
    return stats.isFile() || stats.isSymbolicLink() ? 'file' : 'other'
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) return 'missing'
    throw cause
  }
}
