import { randomFillSync } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A file that only takes up space, so that there is some left to close runs when the disk is full. */
export interface ReserveFile {
  /** Creates the file unless it is there. Returns whether it is there. */
  ensure(bytes: number): Promise<boolean>
  /** Deletes the file to make room. Returns whether it was there. */
  release(): boolean
}

const pathIn = (directory: string): string => join(directory, 'sluice.reserve')

/** Deletes the reserve of a log that is not open. Returns whether there was one. */
export const removeReserve = (directory: string): boolean => {
  const path = pathIn(directory)
  if (!existsSync(path)) return false
  rmSync(path)
  return true
}

export const createReserveFile = (directory: string): ReserveFile => {
  const path = pathIn(directory)
  let isThere = false
  const partial = `${path}.new`

  const create = async (bytes: number): Promise<void> => {
    const found = await stat(path).catch(() => undefined)
    if (found?.size === bytes) return
    // Random, because some file systems store zeros in no space.
    await writeFile(partial, randomFillSync(Buffer.allocUnsafe(bytes)), { mode: 0o600 })
    await rename(partial, path)
  }

  return {
    async ensure(bytes) {
      if (isThere) return true
      try {
        await create(bytes)
        isThere = true
      } catch {
        await rm(partial, { force: true }).catch(() => {})
      }
      return isThere
    },
    release() {
      const wasThere = isThere
      isThere = false
      if (!wasThere) return false
      rmSync(path, { force: true })
      return true
    },
  }
}
