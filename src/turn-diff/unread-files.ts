import { type BigIntStats, constants } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { z } from 'zod'
import type { RawPath } from './raw-path.ts'

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
