import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'

const sync = promisify(fdatasync)

/** Flushes the write-ahead log (WAL) of a database to the disk. */
export interface WalFile {
  /** Resolves when everything written so far is on the disk. One call at a time. */
  flush(): Promise<void>
  close(): void
}

/**
 * SQLite’s own `synchronous = FULL` flushes at the end of each transaction and blocks the event loop
 * meanwhile: many milliseconds on a slow disk, in which no agent is read. This flush does not block.
 * SQLite uses the same WAL file as long as the database is open, and takes no locks on it that closing
 * our handle could release.
 */
export const createWalFile = (path: string): WalFile => {
  let file: number | undefined
  return {
    async flush() {
      file ??= openSync(path, 'r+')
      await sync(file)
    },
    close() {
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  }
}
