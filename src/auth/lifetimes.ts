import { setMaxListeners } from 'node:events'
import type { Problem } from '../shared/problem.ts'
import { keyRevoked, tokenExpired } from './refusals.ts'

/** Tells whoever holds something open that the right to it has ended. */
export interface Lifetimes {
  /** Aborted when the key is revoked, or at that time. The same signal for the same two. */
  signal(keyId: string, expiresAt?: number): AbortSignal
  revoke(keyId: string): void
  close(): void
}

interface Lifetime {
  signal: AbortSignal
  end(reason: Problem): void
}

export const createLifetimes = (now: () => number): Lifetimes => {
  /** By key, then by the end. */
  const known = new Map<string, Map<number, Lifetime>>()
  /** Those that were revoked while this process runs: who was let in just before must go too. */
  const revoked = new Set<string>()
  const timers = new Set<NodeJS.Timeout>()

  /** A long wait is made of short ones: see `longestWait`. */
  const at = (time: number, act: () => void): void => {
    const timer = setTimeout(
      () => {
        timers.delete(timer)
        if (now() >= time) act()
        else at(time, act)
      },
      Math.max(0, Math.min(longestWait, time - now())),
    )
    timer.unref()
    timers.add(timer)
  }

  const open = (keyId: string, expiresAt: number): Lifetime => {
    const controller = new AbortController()
    setMaxListeners(0, controller.signal) // one for each open stream
    const lifetime = {
      signal: controller.signal,
      end(reason: Problem) {
        known.get(keyId)?.delete(expiresAt)
        controller.abort(reason)
      },
    }
    if (expiresAt !== never) at(expiresAt, () => lifetime.end(tokenExpired()))
    return lifetime
  }

  return {
    signal(keyId, expiresAt = never) {
      if (revoked.has(keyId)) return AbortSignal.abort(keyRevoked())
      const ofKey = known.get(keyId) ?? new Map<number, Lifetime>()
      const lifetime = ofKey.get(expiresAt) ?? open(keyId, expiresAt)
      known.set(keyId, ofKey.set(expiresAt, lifetime))
      return lifetime.signal
    },
    revoke(keyId) {
      revoked.add(keyId)
      for (const lifetime of [...(known.get(keyId)?.values() ?? [])]) lifetime.end(keyRevoked())
      known.delete(keyId)
    },
    close() {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}

const never = Number.POSITIVE_INFINITY

/**
 * Timers end at 2^31 ms at the latest, and they stand still while a machine sleeps: the clock is
 * looked at again and again.
 */
const longestWait = 60_000

/** For what nothing ends. */
export const untilNever: AbortSignal = new AbortController().signal
setMaxListeners(0, untilNever)
