import type { LogStatus } from '../log-status.ts'
import { okStatus } from '../log-status.ts'

/** When each stream was created, by what it holds; undefined for one that the servers do not have. */
export type FoundStreams = ReadonlyMap<string, string | undefined>

/**
 * Compares the streams of a tenant with those that were there before. The server keeps the time of
 * creation in restarts, elections and backups, so another time shows another stream.
 *
 * - `unwritable`: a stream was deleted. It may come back from a backup.
 * - `failed`: there is another stream in its place. What this process knows of the old one, such as
 *   its records and its last numbers, is wrong from now on.
 */
export interface StreamCheck {
  compare(found: FoundStreams): Omit<LogStatus, 'since'>
}

/** A stream is missing when it was in none of so many comparisons: a new leader may not know it at once. */
const missesNeeded = 3

export const createStreamCheck = (): StreamCheck => {
  const created = new Map<string, string>()
  const misses = new Map<string, number>()
  let replaced: string | undefined

  const note = (name: string, time: string | undefined): void => {
    const before = created.get(name)
    if (time !== undefined) {
      misses.delete(name)
      created.set(name, before ?? time)
      if (before !== undefined && before !== time) replaced = name
    } else if (before !== undefined) misses.set(name, (misses.get(name) ?? 0) + 1)
  }

  return {
    compare(found) {
      for (const [name, time] of found) note(name, time)
      if (replaced !== undefined) return { state: 'failed', reason: replacedReason(replaced) }
      const missing = [...misses].find(([, count]) => count >= missesNeeded)?.[0]
      return missing === undefined
        ? okStatus
        : { state: 'unwritable', reason: missingReason(missing) }
    },
  }
}

const missingReason = (content: string): string =>
  `The stream of ${content} was deleted from NATS, so nothing can be stored. Restore it from a backup, or restart all nodes of the tenant: they make an empty one.`

const replacedReason = (content: string): string =>
  `The stream of ${content} was deleted from NATS and made again, so what this node knows is wrong. Start the node again.`
