import { type BigIntStats, constants } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { z } from 'zod'
import type { Change } from './compare-trees.ts'
import type { RawPath } from './git-format.ts'

/** A file whose content is not kept: what is known of it tells only whether it is the same. */
export const unreadFile = z.strictObject({
  path: z.string(),
  kind: z.enum(['binary', 'huge']),
  size: z.number(),
  /** Its size, time and place on the disk. */
  mark: z.string(),
})
export type UnreadFile = z.infer<typeof unreadFile>

export const unreadFilesOf = (
  path: RawPath,
  stats: BigIntStats,
  kind: UnreadFile['kind'],
): UnreadFile => ({
  path,
  kind,
  size: Number(stats.size),
  mark: `${stats.size}:${stats.mtimeNs}:${stats.ino}:${stats.mode & BigInt(constants.S_IXUSR)}`,
})

/** What stands at a path; undefined where nothing does that git could keep. */
export const statOf = async (path: Buffer): Promise<BigIntStats | undefined> => {
  try {
    const stats = await lstat(path, { bigint: true })
    return stats.isFile() || stats.isSymbolicLink() || stats.isDirectory() ? stats : undefined
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) return undefined
    throw cause
  }
}

/**
 * Joins what git found with what only size and time tell. A file can go from one to the other: then
 * the trees have it added or deleted, and it was only modified.
 */
export const mergeUnreadFiles = (
  changes: readonly Change[],
  before: readonly UnreadFile[],
  now: readonly UnreadFile[],
): Change[] => {
  const old = byPath(before)
  const fresh = byPath(now)
  const isOld = isAmong(old, changes, 'deleted')
  const isFresh = isAmong(fresh, changes, 'added')
  const paths = [...new Set([...old.keys(), ...fresh.keys()])]
  const found = paths
    .filter((path) => old.get(path)?.mark !== fresh.get(path)?.mark)
    .map((path): Change => {
      const { kind = 'huge' } = fresh.get(path) ?? old.get(path) ?? {}
      const size = fresh.get(path)?.size
      const status = !isOld(path) ? 'added' : !isFresh(path) ? 'deleted' : 'modified'
      return { path, status, kind, ...(size !== undefined && { size }) }
    })
  const told = new Set(paths)
  const rest = changes.filter(({ path }) => !told.has(path))
  return [...rest, ...joinMoves(found, old, fresh)]
}

const byPath = (files: readonly UnreadFile[]): Map<RawPath, UnreadFile> =>
  new Map(files.map((file) => [file.path, file]))

/** Whether a path was there at one of the two moments: without its content, or in the tree. */
const isAmong = (
  files: ReadonlyMap<RawPath, UnreadFile>,
  changes: readonly Change[],
  status: Change['status'],
) => {
  const inTree = new Set(
    changes.filter((change) => change.status === status).map(({ path }) => path),
  )
  return (path: RawPath) => files.has(path) || inTree.has(path)
}

/** The same bytes on the disk under another name are one file that moved. */
const joinMoves = (
  changes: readonly Change[],
  old: ReadonlyMap<RawPath, UnreadFile>,
  fresh: ReadonlyMap<RawPath, UnreadFile>,
): Change[] => {
  const gone = changes.filter(({ status }) => status === 'deleted')
  const left = new Map(gone.map(({ path }) => [old.get(path)?.mark, path]))
  const moved = new Set<RawPath>()
  const joined = changes.map((change): Change => {
    const mark = fresh.get(change.path)?.mark
    const oldPath = left.get(mark)
    if (change.status !== 'added' || oldPath === undefined) return change
    left.delete(mark)
    moved.add(oldPath)
    return { ...change, oldPath, status: 'renamed' }
  })
  return joined.filter(({ path, status }) => status !== 'deleted' || !moved.has(path))
}
