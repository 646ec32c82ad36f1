import type { Access } from '../auth/auth.ts'
import { withDescendants } from '../auth/key-chain.ts'
import { allSessions } from '../log/all-sessions.ts'
import type { Log } from '../log/log.ts'
import type { KeyRecord, SessionRecord } from '../log/types.ts'
import { formatSize } from '../shared/format-size.ts'
import { Problem } from '../shared/problem.ts'

/** The quotas of keys that have none of their own. */
export interface QuotaDefaults {
  /** How many sessions a key may have created that are not removed. */
  sessions?: number | undefined
  /** How many bytes the sessions may fill that a key has created. */
  diskBytes?: number | undefined
}

/**
 * How much each API key may use. What the keys below a key use counts for it, too: otherwise a key could
 * create others to get around its quota.
 */
export interface KeyQuotas {
  /**
   * Reserves one session for a key. Call the result when the session is stored, or was not created.
   * Throws a `Problem` 429 when the key has as many as it may.
   */
  reserveSession(access: KeyHolder): Promise<() => void>
  /** Throws a `Problem` 507 when the sessions of a key fill as much as they may. */
  checkDisk(access: KeyHolder): Promise<void>
}

/** A key, with those that it came from. */
export type KeyHolder = Pick<Access, 'keyId' | 'keys'>

interface Measured {
  /** The last event that was counted. */
  seq: number
  bytes: number
}

export const createKeyQuotas = (log: Log, defaults: QuotaDefaults = {}): KeyQuotas => {
  const measured = new Map<string, Measured>()
  const reserved = new Map<string, number>()
  let latest: Promise<unknown> = Promise.resolve()

  const familyOf = async ({ id }: KeyRecord): Promise<string[]> =>
    withDescendants(id, await log.keys.list())

  const countSessions = async (family: readonly string[]): Promise<number> => {
    let count = 0
    for (const creatorId of family)
      count += (await log.sessions.countOf(creatorId)) + (reserved.get(creatorId) ?? 0)
    return count
  }

  const reserve: KeyQuotas['reserveSession'] = async ({ keys = [], keyId }) => {
    for (const key of keys) {
      const limit = key.maxSessions ?? defaults.sessions
      if (limit === undefined) continue
      const count = await countSessions(await familyOf(key))
      if (count >= limit) throw tooManySessions(key, limit)
    }
    if (keyId === undefined) return () => {}
    reserved.set(keyId, (reserved.get(keyId) ?? 0) + 1)
    return () => {
      const left = (reserved.get(keyId) ?? 1) - 1
      if (left > 0) reserved.set(keyId, left)
      else reserved.delete(keyId)
    }
  }

  /** Counts only what was added since it was last called: a long session is not read again. */
  const bytesOf = async ({ id }: SessionRecord): Promise<number> => {
    const head = await log.head(id)
    const { seq, bytes } = measured.get(id) ?? { seq: 0, bytes: 0 }
    const now = { seq: head, bytes: bytes + (await log.eventBytes(id, seq, head)) }
    // Another request may have counted further in the meantime.
    if (head > (measured.get(id)?.seq ?? 0)) measured.set(id, now)
    return now.bytes + (await log.blobs.bytesOf(id))
  }

  const bytesFilled = async (family: readonly string[]): Promise<number> => {
    let sum = 0
    for (const creatorId of family)
      for (const session of await allSessions(log, { creatorId })) sum += await bytesOf(session)
    return sum
  }

  return {
    reserveSession(access) {
      // One after another: two requests at once must not both get the last session.
      const result = latest.then(() => reserve(access))
      latest = result.catch(() => {})
      return result
    },
    async checkDisk({ keys = [] }) {
      for (const key of keys) {
        const limit = key.maxDiskBytes ?? defaults.diskBytes
        if (limit === undefined) continue
        const used = await bytesFilled(await familyOf(key))
        if (used >= limit) throw tooMuchDisk(key, { used, limit })
      }
    },
  }
}

const tooManySessions = ({ name }: KeyRecord, limit: number): Problem =>
  new Problem(
    429,
    'quota_exceeded',
    `The key “${name}” has ${limit} sessions (its limit). Remove one, or create a key with a higher limit.`,
    { limit },
  )

const tooMuchDisk = ({ name }: KeyRecord, { used, limit }: { used: number; limit: number }) =>
  new Problem(
    507,
    'disk_quota_exceeded',
    `The sessions of the key “${name}” fill ${formatSize(used)}, and its limit is ${formatSize(limit)}. Remove sessions, whose data is deleted a day later, or create a key with a higher limit.`,
    { used, limit },
  )
