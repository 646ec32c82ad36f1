import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'

const flush = promisify(fdatasync)

/** Brings what SQLite wrote into its WAL to the disk. */
export interface Disk {
  /** Settles when all that was written before is there. One at a time. */
  flush(): Promise<void>
  close(): void
}

/**
 * SQLite’s own `synchronous = FULL` does the same at the end of each transaction, and stops the
 * event loop for it: on a slow disk for many milliseconds, in which no agent would be read. The WAL
 * keeps its file for as long as the database is open, and carries no locks that closing it could end.
 */
export const createDisk = (wal: string): Disk => {
  let file: number | undefined
  return {
    async flush() {
      file ??= openSync(wal, 'r+')
      await flush(file)
    },
    close() {
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  }
}
