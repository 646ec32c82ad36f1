import { open, utimes, writeFile } from 'node:fs/promises'

/**
 * Copies an index with its time: a file that was written in the same second as the index may have
 * changed unseen, and git knows such files by that time. None is made where there is none.
 */
export const copyIndex = async (from: string, to: string): Promise<void> => {
  const file = await openIfThere(from)
  if (!file) return
  try {
    const { atimeMs, mtimeMs } = await file.stat()
    await writeFile(to, await file.readFile(), { mode: 0o600 })
    await utimes(to, Math.floor(atimeMs / 1000), Math.floor(mtimeMs / 1000))
  } finally {
    await file.close()
  }
}

const openIfThere = async (path: string) => {
  try {
    return await open(path)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw cause
  }
}
