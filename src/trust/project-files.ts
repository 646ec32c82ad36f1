import { createHash, type Hash, hash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { opendir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { ProjectPath } from '../agents/agent.ts'
import type { ProjectFile } from '../api/types.ts'
import { readRegularFile } from '../files/read-regular-file.ts'
import type { ProjectReader } from './project-readers.ts'

/** What agents would load from a directory. */
export interface ProjectFiles {
  /** In the order of agents and paths. */
  files: ProjectFile[]
  /** Stands for the files and their contents. Undefined if there are too many to check. */
  hash: string | undefined
  /** Each file with its contents, to compare directories. */
  contents: readonly FileContent[]
}

/** A file that an agent would load, and what it holds. */
export interface FileContent {
  agent: string
  kind: string
  /** Absolute, with a character for each byte. */
  path: string
  /** A hash, or why the file cannot be read. */
  content: string
}

/** How much is checked. A directory with more cannot be trusted. */
export interface ProjectFileLimits {
  files: number
  bytes: number
  depth: number
}

const projectFileLimits: ProjectFileLimits = {
  files: 5000,
  bytes: 64 * 1024 * 1024,
  depth: 20,
}

/** Finds the files that some agents would load when they start in a directory. */
export const findProjectFiles = async (
  directory: string,
  agents: readonly ProjectReader[],
  limits: ProjectFileLimits = projectFileLimits,
): Promise<ProjectFiles> => {
  const scan: Scan = {
    directory,
    limits,
    files: [],
    contents: [],
    folders: 0,
    bytes: 0,
    isTooLarge: false,
    hash: createHash('sha256'),
  }
  for (const { name, projectPaths = [] } of agents)
    for (const projectPath of projectPaths)
      for (const base of basesOf(directory, projectPath)) {
        const found = { agent: name, kind: projectPath.kind }
        await visit(scan, found, Buffer.from(join(base, projectPath.path)), new Set())
      }
  const { files, contents, isTooLarge } = scan
  return { files, contents, hash: isTooLarge ? undefined : scan.hash.digest('hex') }
}

/** The directory, and the ones above where the agent looks there too. */
const basesOf = (directory: string, { isInherited, path, kind }: ProjectPath): string[] => {
  const bases = [directory]
  for (let at = directory; isInherited && at !== dirname(at); at = dirname(at))
    bases.push(dirname(at))
  // In the home directory, settings and the folders of agents are the user’s own.
  const isOwnAtHome = path.includes('/') || kind === 'settings'
  return isOwnAtHome ? bases.filter((base) => base !== homedir()) : bases
}

interface Scan {
  readonly directory: string
  readonly limits: ProjectFileLimits
  readonly files: ProjectFile[]
  readonly contents: FileContent[]
  folders: number
  bytes: number
  isTooLarge: boolean
  readonly hash: Hash
}

type Found = Pick<ProjectFile, 'agent' | 'kind'>

/** Adds a file, or all files of a folder. Links are followed; `above` are the folders around it. */
const visit = async (
  scan: Scan,
  found: Found,
  path: Buffer,
  above: ReadonlySet<string>,
): Promise<void> => {
  if (scan.isTooLarge && above.size > 0) return
  const stats = await statOf(path)
  if (!stats) return
  // What an agent would load is named in any case, so that it starts without it.
  if (scan.isTooLarge) return void scan.files.push(describe(scan, found, path))
  if (!stats.isDirectory()) return addFile(scan, found, path)
  const folder = `${stats.dev}:${stats.ino}`
  if (above.has(folder)) return
  scan.folders += 1
  if (above.size >= scan.limits.depth || scan.folders > scan.limits.files) scan.isTooLarge = true
  const inside = new Set([...above, folder])
  for (const name of await namesIn(path, scan.limits.files))
    await visit(scan, found, Buffer.concat([path, slash, name]), inside)
}

const slash = Buffer.from('/')

const addFile = async (scan: Scan, found: Found, path: Buffer): Promise<void> => {
  const { files, limits } = scan
  files.push(describe(scan, found, path))
  const read = await readRegularFile(path, limits.bytes - scan.bytes)
  if (typeof read !== 'string') scan.bytes += read.bytes.length
  if (read === 'too_large' || files.length > limits.files) scan.isTooLarge = true
  const content = typeof read === 'string' ? read : hash('sha256', read.bytes)
  scan.contents.push({ ...found, path: path.toString('latin1'), content })
  // No part contains a NUL.
  scan.hash.update(`${found.agent}\0${found.kind}\0`).update(path).update(`\0${content}\0`)
}

const describe = ({ directory }: Scan, found: Found, path: Buffer): ProjectFile => ({
  path: relative(directory, path.toString('utf8')),
  ...found,
})

const statOf = async (path: Buffer): Promise<Stats | undefined> => {
  try {
    return await stat(path)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) return undefined
    throw cause
  }
}

/** The names in a folder, sorted; none if it cannot be read. Stops after `limit` names. */
const namesIn = async (path: Buffer, limit: number): Promise<Buffer[]> => {
  const names: Buffer[] = []
  try {
    // Latin-1 keeps the bytes of names that are not UTF-8.
    for await (const { name } of await opendir(path, { encoding: 'latin1', bufferSize: 1000 })) {
      names.push(Buffer.from(name, 'latin1'))
      if (names.length > limit) break
    }
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause)) throw cause
  }
  return names.sort(Buffer.compare)
}
