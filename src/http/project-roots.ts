import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import type { DirectoryList } from '../api/types.ts'
import { Problem } from '../shared/problem.ts'

/** The directories below which projects may lie. */
export interface ProjectRoots {
  /** The real path of a directory; refused when it is none, or lies outside the roots. */
  admit(path: string): Promise<string>
  /** Refuses what lies outside the roots by now; a directory that is gone is not its matter. */
  check(path: string): Promise<void>
  /** The directories inside of one that is allowed; the roots themselves without a path. */
  list(path?: string): Promise<DirectoryList>
}

/** How many directories are listed at most. */
const listLimit = 1000

/**
 * Links are followed before the comparison, on both sides: a link inside a root that leads out of it
 * opens nothing.
 */
export const createProjectRoots = (roots: readonly string[]): ProjectRoots => {
  const realRoots = async () =>
    (await Promise.all(roots.map(realOf))).filter((root) => root !== undefined)

  const admit = async (path: string): Promise<string> => {
    if (!isAbsolute(path) || path.includes('\0'))
      throw new Problem(422, 'not_a_directory', 'The path must be absolute.')
    const allowed = await realRoots()
    // What lies outside is refused before anything is told about it, whether it is there or not.
    if (![...allowed, ...roots].some((root) => isBelow(path, root))) throw outside()
    const real = await realOf(path)
    if (real === undefined) throw notThere(path)
    if (!allowed.some((root) => isBelow(real, root))) throw outside()
    return real
  }

  const check = async (path: string): Promise<void> => {
    try {
      await admit(path)
    } catch (cause) {
      if (!(cause instanceof Problem) || cause.code !== 'not_a_directory') throw cause
    }
  }

  const listRoots = async (): Promise<DirectoryList> => ({
    directories: [...new Set(await realRoots())].map((path) => ({ name: basename(path), path })),
  })

  return {
    admit,
    check,
    async list(path) {
      if (path === undefined) return listRoots()
      const real = await admit(path)
      const names = await namesIn(real)
      const allowed = await realRoots()
      const parent = allowed.includes(real) ? undefined : dirname(real)
      return {
        path: real,
        ...(parent !== undefined && { parent }),
        directories: names.slice(0, listLimit).map((name) => ({ name, path: join(real, name) })),
        ...(names.length > listLimit && { truncated: true }),
      }
    },
  }
}

/** The directories in a directory, by name. One that may not be read has none. */
const namesIn = async (path: string): Promise<string[]> => {
  try {
    const entries = await readdir(path, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map((entry) => entry.name)
      .sort((left, right) => left.localeCompare(right))
  } catch {
    return []
  }
}

const notThere = (path: string) => new Problem(422, 'not_a_directory', `${path} is no directory.`)

const outside = () =>
  new Problem(403, 'path_outside_roots', 'The directory lies outside the allowed roots.')

const isBelow = (path: string, root: string): boolean => {
  const way = relative(root, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/** The real path of a directory; undefined where there is none. */
const realOf = async (path: string): Promise<string | undefined> => {
  try {
    const real = await realpath(path)
    return (await stat(real)).isDirectory() ? real : undefined
  } catch {
    return undefined
  }
}
