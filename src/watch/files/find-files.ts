import { lstat, readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { FilePattern, FileSource } from '../sources/file-source.ts'
import { loosePartsOf, ownerOfLoosePart } from './loose-parts.ts'

/** A session’s file with those of its subagents, as they were found. */
export interface FoundSession {
  /** Path of the session’s own file below the directory of the agent. */
  path: string
  /** When one of the files last changed, in ms since 1970. */
  changedAt: number
  bytes: number
  /** Changes whenever one of the files does. */
  state: string
}

/** Deeper folders, and more files, are not looked at. */
const maxDepth = 8
const maxFiles = 500_000

/** The directory of an agent without links; undefined if it does not exist. */
export const rootOf = (
  source: FileSource,
  env: NodeJS.ProcessEnv,
  home: string,
): Promise<string | undefined> => realpath(source.directory(env, home)).catch(() => undefined)

/** Finds the session files of an agent, the latest first. Links are not followed. */
export const findSessions = async (
  source: FileSource,
  root: string,
  signal?: AbortSignal,
): Promise<FoundSession[]> => {
  const sessions = new Map<string, FileStats>()
  const parts: (FileStats & { path: string })[] = []
  const loose: (FileStats & { path: string })[] = []
  for await (const path of filesBelow(root)) {
    if (signal?.aborted) return []
    const what = source.fileAt(path)
    const stats = what && (await statsOf(join(root, path)))
    if (!stats) continue
    if (what.kind === 'session') sessions.set(path, stats)
    else (what.kind === 'loose' ? loose : parts).push({ path, ...stats })
  }
  const partsOf = groupParts(source, [...sessions.keys()], parts)
  for (const part of loose) {
    const owner = await ownerOfLoosePart(source, root, part.path)
    if (owner !== undefined) addTo(partsOf, owner, part)
  }
  return [...sessions]
    .map(([path, own]) => foundSession(path, own, partsOf.get(path) ?? []))
    .toSorted((left, right) => right.changedAt - left.changedAt)
}

/** How one session’s files are now; undefined if its own file is gone. */
export const findSessionFiles = async (
  source: FileSource,
  root: string,
  path: string,
  nativeId: string | undefined,
): Promise<FoundSession | undefined> => {
  const own = await statsOf(join(root, path))
  if (!own) return undefined
  const pattern = nativeId === undefined ? undefined : source.partsOf?.(path, nativeId)
  const names = pattern ? await readdir(join(root, pattern.directory)).catch(() => []) : []
  const stats = names
    .filter((name) => pattern?.name.test(name))
    .map((name) => statsOf(join(root, pattern?.directory ?? '', name)))
  const beside = path.slice(0, path.lastIndexOf('/'))
  for (const name of await loosePartsOf(source, root, path))
    stats.push(statsOf(join(root, beside, name)))
  return foundSession(
    path,
    own,
    (await Promise.all(stats)).filter((each) => each !== undefined),
  )
}

interface FileStats {
  size: number
  mtimeMs: number
}

const statsOf = async (path: string): Promise<FileStats | undefined> => {
  const stats = await lstat(path).catch(() => undefined)
  return stats?.isFile() ? { size: stats.size, mtimeMs: stats.mtimeMs } : undefined
}

const foundSession = (path: string, own: FileStats, parts: readonly FileStats[]): FoundSession => {
  const all = [own, ...parts]
  const bytes = all.reduce((sum, { size }) => sum + size, 0)
  const changedAt = Math.max(...all.map(({ mtimeMs }) => mtimeMs))
  return { path, changedAt, bytes, state: `${all.length} ${bytes} ${changedAt}` }
}

const groupParts = (
  source: FileSource,
  paths: readonly string[],
  parts: readonly (FileStats & { path: string })[],
): Map<string, FileStats[]> => {
  const byDirectory = Map.groupBy(paths, (path) => path.slice(0, path.lastIndexOf('/')))
  const known = new Map<string, string | undefined>()
  const all = new Set(paths)
  const sessionOf = ({ directory, name, only }: FilePattern): string | undefined => {
    // Each of many sessions may have subagents: looking through all of them each time takes long.
    if (only !== undefined)
      return all.has(`${directory}/${only}`) ? `${directory}/${only}` : undefined
    const key = `${directory}/${name.source}`
    if (!known.has(key))
      known.set(
        key,
        byDirectory.get(directory)?.find((path) => name.test(path.replace(/^.*\//, ''))),
      )
    return known.get(key)
  }
  const groups = new Map<string, FileStats[]>()
  for (const part of parts) {
    const what = source.fileAt(part.path)
    const path = what?.kind === 'part' ? sessionOf(what.session) : undefined
    if (path === undefined) continue
    addTo(groups, path, part)
  }
  return groups
}

const addTo = (groups: Map<string, FileStats[]>, path: string, part: FileStats): void => {
  const group = groups.get(path)
  if (group) group.push(part)
  else groups.set(path, [part])
}

const filesBelow = async function* (root: string): AsyncGenerator<string> {
  let left = maxFiles
  const below = async function* (directory: string, depth: number): AsyncGenerator<string> {
    const entries = await readdir(join(root, directory), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`
      if (entry.isDirectory() && depth < maxDepth) yield* below(path, depth + 1)
      else if (entry.isFile() && left > 0) {
        left -= 1
        yield path
      }
    }
  }
  yield* below('', 0)
}
