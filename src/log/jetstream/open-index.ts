import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../log.ts'
import { LogFault } from '../log-fault.ts'
import { lockDirectory } from '../sqlite/lock.ts'
import { openPrivate, unusableDirectory } from '../sqlite/open-database.ts'
import { openSqliteLog } from '../sqlite/sqlite-log.ts'

/**
 * Opens an empty index in a data directory, and locks the directory until the index is closed. What is
 * left of the last index may be old. Throws `locked` or `unusable_directory`.
 */
export const openIndex = async (directory: string): Promise<Log> => {
  const unlock = lock(directory)
  try {
    const path = join(directory, 'index')
    rmSync(path, { recursive: true, force: true })
    const index = await openSqliteLog(path, { synchronous: 'NORMAL' })
    return {
      ...index,
      async close() {
        await index.close()
        unlock()
      },
    }
  } catch (cause) {
    unlock()
    throw cause
  }
}

const lock = (directory: string): (() => void) => {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return lockDirectory(directory, openPrivate)
  } catch (cause) {
    throw cause instanceof LogFault ? cause : unusableDirectory(directory, cause)
  }
}
