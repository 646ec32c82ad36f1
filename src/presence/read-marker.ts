import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

const maxBytes = 64 * 1024

/**
 * The text of a small file that an agent writes about itself; undefined if there is none that can be
 * read. Follows no link, waits for no pipe, and reads nothing that belongs to another user.
 */
export const readMarker = async (path: string): Promise<string | undefined> => {
  let file: FileHandle | undefined
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const stats = await file.stat()
    const isOwn = process.getuid === undefined || stats.uid === process.getuid()
    if (!stats.isFile() || !isOwn || stats.size > maxBytes) return undefined
    const bytes = Buffer.alloc(stats.size)
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
    return bytes.toString('utf8', 0, bytesRead)
  } catch {
    return undefined
  } finally {
    await file?.close()
  }
}
