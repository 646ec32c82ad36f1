import { setTimeout as delay } from 'node:timers/promises'
import { LogFault } from '../log-fault.ts'
import { canReclaim } from './compact.ts'
import type { SqliteContext } from './context.ts'
import { numberColumn, prepareStatement } from './database.ts'

/**
 * Gives the free pages of a database back to the disk, in small steps and while nobody else writes.
 * A database that was made without `auto_vacuum` keeps its free pages for later events.
 */
export interface Reclaimer {
  /** Starts to give pages back, in the background. Does nothing while it already runs. */
  start(): void
  /** Stops after the current step. */
  stop(): void
}

/** About a millisecond. */
const pagesPerStep = 64
const pageBytes = 4096
/** How long nobody may have written before a step. */
const quietMs = 100
/** In a log that is never quiet, so many looks pass between two steps: a step each minute. */
const maxLooks = 600

export const createReclaimer = (context: SqliteContext): Reclaimer => {
  const { database, writes, commits, truncateWal } = context
  const freePages = prepareStatement(database, 'PRAGMA freelist_count')
  const isPossible = canReclaim(database)
  let isRunning = false
  let isStopped = false

  const untilQuiet = async (): Promise<void> => {
    for (let looks = 0; looks < maxLooks && !isStopped; looks += 1) {
      const before = commits()
      await delay(quietMs, undefined, { ref: false })
      if (commits() === before) return
    }
  }

  /** Returns whether there are more free pages. */
  const step = (): boolean => {
    database.exec(`PRAGMA incremental_vacuum(${pagesPerStep})`)
    return numberColumn(freePages.get()) > 0
  }

  const run = async (): Promise<void> => {
    for (let more = numberColumn(freePages.get()) > 0; more && !isStopped; ) {
      await untilQuiet()
      let others = 0
      while (more && others === 0 && !isStopped) {
        const before = commits()
        more = await writes.add(step, pagesPerStep * pageBytes)
        others = commits() - before - 1
      }
    }
    // Only a checkpoint makes the file shorter.
    if (!isStopped) await truncateWal()
  }

  return {
    start() {
      if (isRunning || isStopped || !isPossible || numberColumn(freePages.get()) === 0) return
      isRunning = true
      void run()
        .catch((cause: unknown) => {
          // The log is closed or cannot be written. The next start tries again.
          if (!(cause instanceof LogFault)) throw cause
        })
        .finally(() => {
          isRunning = false
        })
    },
    stop() {
      isStopped = true
    },
  }
}
