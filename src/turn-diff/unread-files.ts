import { type BigIntStats, constants } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { z } from 'zod'
import type { Change } from './compare-trees.ts'
import type { RawPath } from './git-format.ts'

/** A file whose content is not read, because of its size or a filter. Its mark shows a change. */
export const unreadFile = z.strictObject({
  path: z.string(),
  kind: z.enum(['binary', 'huge']),
  size: z.number(),
  /** Size, time, inode and whether it is executable. */
  mark: z.string(),
})
export type UnreadFile = z.infer<typeof unreadFile>

export const unreadFileOf = (
  path: RawPath,
  stats: BigIntStats,
  kind: UnreadFile['kind'],
): UnreadFile => ({
  path,
  kind,
  size: Number(stats.size),
  mark: `${stats.size}:${stats.mtimeNs}:${stats.ino}:${stats.mode & BigInt(constants.S_IXUSR)}`,
})

/** The stats of a path; undefined unless it is something that git could store. */
export const statsOf = async (path: Buffer): Promise<BigIntStats | undefined> => {
  try {
    const stats = await lstat(path, { bigint: true })
    return stats.isFile() || stats.isSymbolicLink() || stats.isDirectory() ? stats : undefined
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) return undefined
    throw cause
  }
}

/**
 * Adds the changes of unread files to those that git found. A file can become unread during the
 * turn, or be read now: then git has it as deleted or added, and it was only modified.
 */
export const mergeUnreadFiles = (
  changes: readonly Change[],
  before: readonly UnreadFile[],
  now: readonly UnreadFile[],
): Change[] => {
  const unreadBefore = byPath(before)
  const unreadNow = byPath(now)
  const existedBefore = isAmong(unreadBefore, changes, 'deleted')
  const existsNow = isAmong(unreadNow, changes, 'added')
  const paths = [...new Set([...unreadBefore.keys(), ...unreadNow.keys()])]
  const found = paths
    .filter((path) => unreadBefore.get(path)?.mark !== unreadNow.get(path)?.mark)
    .map((path): Change => {
      const { kind = 'huge' } = unreadNow.get(path) ?? unreadBefore.get(path) ?? {}
      const size = unreadNow.get(path)?.size
      const status = !existedBefore(path) ? 'added' : !existsNow(path) ? 'deleted' : 'modified'
      return { path, status, kind, ...(size !== undefined && { size }) }
    })
  const unread = new Set(paths)
  const rest = changes.filter(({ path }) => !unread.has(path))
  return [...rest, ...joinMoves(found, unreadBefore, unreadNow)]
}

const byPath = (files: readonly UnreadFile[]): Map<RawPath, UnreadFile> =>
  new Map(files.map((file) => [file.path, file]))

/** Whether a path existed at one of the two moments: as an unread file, or in git’s tree. */
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

/** A deleted and an added file with the same mark are one file that moved. */
const joinMoves = (
  changes: readonly Change[],
  before: ReadonlyMap<RawPath, UnreadFile>,
  now: ReadonlyMap<RawPath, UnreadFile>,
): Change[] => {
  const deleted = changes.filter(({ status }) => status === 'deleted')
  const deletedByMark = new Map(deleted.map(({ path }) => [before.get(path)?.mark, path]))
  const moved = new Set<RawPath>()
  const joined = changes.map((change): Change => {
    const mark = now.get(change.path)?.mark
    const oldPath = deletedByMark.get(mark)
    if (change.status !== 'added' || oldPath === undefined) return change
    deletedByMark.delete(mark)
    moved.add(oldPath)
    return { ...change, oldPath, status: 'renamed' }
  })
  return joined.filter(({ path, status }) => status !== 'deleted' || !moved.has(path))
}
