import type { LogStatus } from '../log-status.ts'
import { okStatus } from '../log-status.ts'

/** What the server says about a stream. */
export interface FoundStream {
  /** When it was created. */
  readonly created: string
  /** The number of its last message. */
  readonly lastSeq: number
  /** Whether the server accepts no messages for it any more. */
  readonly isSealed?: boolean | undefined
}

/** The streams by what they hold; undefined for one that the servers do not have. */
export type FoundStreams = ReadonlyMap<string, FoundStream | undefined>

/**
 * Compares the streams of a tenant with those that were there before. The server keeps the time of
 * creation in restarts, elections and backups, so another time shows another stream.
 *
 * - `unwritable`: a stream was deleted or sealed. It may come back from a backup.
 * - `failed`: there is another stream in its place, or it came back with less. What this process knows of
 *   the old one, such as its records and its last numbers, is wrong from now on.
 */
export interface StreamCheck {
  compare(found: FoundStreams): Omit<LogStatus, 'since'>
}

/** A stream is missing when it was in none of so many comparisons: a new leader may not know it at once. */
const missesNeeded = 3

export const createStreamCheck = (): StreamCheck => {
  const known = new Map<string, FoundStream>()
  const misses = new Map<string, number>()
  let replaced: string | undefined

  const note = (content: string, found: FoundStream | undefined): void => {
    const before = known.get(content)
    if (!found) {
      if (before) misses.set(content, (misses.get(content) ?? 0) + 1)
      return
    }
    const isOther = before !== undefined && found.created !== before.created
    // Without a miss, the answer may be that of a server that is behind.
    const isOlder = misses.has(content) && found.lastSeq < (before?.lastSeq ?? 0)
    if (isOther || isOlder) replaced ??= content
    misses.delete(content)
    known.set(content, found)
  }

  return {
    compare(found) {
      for (const [content, stream] of found) note(content, stream)
      if (replaced !== undefined) return { state: 'failed', reason: replacedReason(replaced) }
      const missing = [...misses].find(([, count]) => count >= missesNeeded)?.[0]
      if (missing !== undefined) return { state: 'unwritable', reason: missingReason(missing) }
      const sealed = [...found].find(([, stream]) => stream?.isSealed)?.[0]
      if (sealed !== undefined) return { state: 'unwritable', reason: sealedReason(sealed) }
      return okStatus
    },
  }
}

const missingReason = (content: string): string =>
  `The stream of ${content} was deleted from NATS, so nothing can be stored. Restore it from a backup, or restart all nodes of the tenant: they make an empty one.`

const replacedReason = (content: string): string =>
  `The stream of ${content} was deleted from NATS and made again or restored, so what this node knows is wrong. Start the node again.`

const sealedReason = (content: string): string =>
  `The stream of ${content} was sealed in NATS, so nothing can be stored. No server opens it again: restore it from a backup that is not sealed.`
