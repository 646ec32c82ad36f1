import { setMaxListeners } from 'node:events'
import type { Problem } from '../shared/problem.ts'
import { keyRevoked, tokenExpired } from './token-problems.ts'

/**
 * Signals that abort when a key or browser is revoked or a token expires, to close what was opened
 * with it.
 */
export interface Lifetimes {
  /**
   * Aborts when the key is revoked, or at `expiresAt` with the reason of `expired`. The same arguments
   * return the same signal.
   */
  signalFor(keyId: string, expiresAt?: number, expired?: () => Problem): AbortSignal
  /** Aborts all signals of a key, now and in future. Default reason: the key was revoked. */
  revoke(keyId: string, reason?: Problem): void
  /** Stops all timers. */
  close(): void
}

interface Lifetime {
  signal: AbortSignal
  end(reason: Problem): void
}

export const createLifetimes = (now: () => number): Lifetimes => {
  /** By key id, then by expiry. */
  const lifetimes = new Map<string, Map<number, Lifetime>>()
  /** Keys revoked while this process runs. A request authorized just before must end, too. */
  const revoked = new Map<string, Problem>()
  const timers = new Set<NodeJS.Timeout>()

  /** Waits in short steps: see `longestWaitMs`. */
  const runAt = (time: number, run: () => void): void => {
    const timer = setTimeout(
      () => {
        timers.delete(timer)
        if (now() >= time) run()
        else runAt(time, run)
      },
      Math.max(0, Math.min(longestWaitMs, time - now())),
    )
    timer.unref()
    timers.add(timer)
  }

  const open = (keyId: string, expiresAt: number, expired: () => Problem): Lifetime => {
    const controller = new AbortController()
    setMaxListeners(0, controller.signal) // one listener per open stream
    const lifetime = {
      signal: controller.signal,
      end(reason: Problem) {
        lifetimes.get(keyId)?.delete(expiresAt)
        controller.abort(reason)
      },
    }
    if (expiresAt !== never) runAt(expiresAt, () => lifetime.end(expired()))
    return lifetime
  }

  return {
    signalFor(keyId, expiresAt = never, expired = tokenExpired) {
      const reason = revoked.get(keyId)
      if (reason) return AbortSignal.abort(reason)
      const ofKey = lifetimes.get(keyId) ?? new Map<number, Lifetime>()
      const lifetime = ofKey.get(expiresAt) ?? open(keyId, expiresAt, expired)
      lifetimes.set(keyId, ofKey.set(expiresAt, lifetime))
      return lifetime.signal
    },
    revoke(keyId, reason = keyRevoked()) {
      // The first reason says more than that of another node, which follows.
      if (!revoked.has(keyId)) revoked.set(keyId, reason)
      for (const lifetime of [...(lifetimes.get(keyId)?.values() ?? [])]) lifetime.end(reason)
      lifetimes.delete(keyId)
    },
    close() {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}

const never = Number.POSITIVE_INFINITY

/**
 * `setTimeout` cannot wait longer than 2^31 ms, and timers stop while the machine sleeps. So the
 * clock is checked at least once a minute.
 */
const longestWaitMs = 60_000

/** A signal that never aborts. */
export const neverAborts: AbortSignal = new AbortController().signal
setMaxListeners(0, neverAborts)
