import { opendir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'
import type { DirectoryList } from '../api/types.ts'
import { isInside } from '../files/is-inside.ts'
import { Problem } from '../shared/problem.ts'

/** The directories that projects may be in. */
export interface ProjectRoots {
  /** The real path of a directory. Throws a `Problem`: 403 outside the roots, 422 for no directory. */
  resolve(path: string): Promise<string>
  /** Throws a `Problem` 403 for a path outside the roots. A directory that was deleted passes. */
  check(path: string): Promise<void>
  /** The directories inside a directory; without a path, the roots. */
  list(path?: string): Promise<DirectoryList>
}

/** How many directories are listed at most. */
const listLimit = 1000
/** How many directories are sorted, and how many entries of a directory are read at most. */
const sortLimit = 10_000
const readLimit = 100_000

/** Symbolic links are resolved before paths are compared, so a link cannot lead out of a root. */
export const createProjectRoots = (roots: readonly string[]): ProjectRoots => {
  const realRoots = async () =>
    (await Promise.all(roots.map(realOf))).filter((root) => root !== undefined)

  const resolve = async (path: string): Promise<string> => {
    if (!isAbsolute(path) || path.includes('\0'))
      throw new Problem(422, 'not_a_directory', 'The path of a project must be absolute.')
    const allowed = await realRoots()
    // Before the file system is read: a response must not reveal whether a path outside exists.
    if (![...allowed, ...roots].some((root) => isInside(path, root))) throw outside()
    const real = await realOf(path)
    if (real === undefined) throw notADirectory(path)
    if (!allowed.some((root) => isInside(real, root))) throw outside()
    return real
  }

  const check = async (path: string): Promise<void> => {
    try {
      await resolve(path)
    } catch (cause) {
      if (!(cause instanceof Problem) || cause.code !== 'not_a_directory') throw cause
    }
  }

  const listRoots = async (): Promise<DirectoryList> => ({
    directories: [...new Set(await realRoots())].map((path) => ({ name: basename(path), path })),
  })

  return {
    resolve,
    check,
    async list(path) {
      if (path === undefined) return listRoots()
      const real = await resolve(path)
      const { names, isTruncated } = await namesIn(real)
      const allowed = await realRoots()
      const parent = allowed.includes(real) ? undefined : dirname(real)
      return {
        path: real,
        ...(parent !== undefined && { parent }),
        directories: names.map((name) => ({ name, path: join(real, name) })),
        ...(isTruncated && { truncated: true }),
      }
    },
  }
}

interface Names {
  names: string[]
  isTruncated: boolean
}

/** The names of the directories in a directory, sorted; none when it cannot be read. */
const namesIn = async (path: string): Promise<Names> => {
  const names: string[] = []
  let read = 0
  try {
    // Piece by piece: a directory with a million entries must not fill the memory.
    for await (const entry of await opendir(path, { bufferSize: 1000 })) {
      if (entry.isDirectory() && !entry.name.startsWith('.')) names.push(entry.name)
      read += 1
      if (read >= readLimit || names.length >= sortLimit) break
    }
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause)) throw cause
  }
  const sorted = names.sort((left, right) => left.localeCompare(right))
  const isTruncated = read >= readLimit || sorted.length > listLimit
  return { names: sorted.slice(0, listLimit), isTruncated }
}

const notADirectory = (path: string) =>
  new Problem(422, 'not_a_directory', `${path} is not a directory.`)

const outside = () =>
  new Problem(
    403,
    'path_outside_roots',
    'The directory is outside the allowed roots. To allow it, start `sluice serve` with --root and a directory above it.',
  )

/** The real path of a directory; undefined when there is no directory. */
const realOf = async (path: string): Promise<string | undefined> => {
  try {
    const real = await realpath(path)
    return (await stat(real)).isDirectory() ? real : undefined
  } catch {
    return undefined
  }
}
