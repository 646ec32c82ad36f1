import type { NatsLink } from './nats-link.ts'
import { serverErrorOf } from './server-errors.ts'

/**
 * Whether the cluster stores what it is sent.
 *
 * - `ok`: it does.
 * - `disconnected`: there is no connection to any server.
 * - `silent`: a server is connected, but does not answer, or has no leader.
 * - `returning`: it answers again, and what waited is being stored.
 */
export type Reach = 'ok' | 'disconnected' | 'silent' | 'returning'

export interface ReachabilityOptions {
  link: Pick<NatsLink, 'isConnected' | 'calls'>
  /** Stores something small: only a leader with a quorum can. */
  probe(): Promise<unknown>
  /** Whether nothing is left that has waited. */
  isDrained(): boolean
  onChange(reach: Reach): void
}

/** Watches the connection, the calls that wait, and with a probe those that nobody makes. */
export interface Reachability {
  /** Asks the cluster if it has stored nothing just now. */
  check(): Promise<void>
  close(): void
}

const tickMs = 250
/** A lost connection is mostly back within milliseconds, at another server. */
const graceMs = 500
/** A call that is tried in vain for this long has stalled. */
const stallMs = 2000
/** A stored write counts for this long for a caller, and for this long when nobody calls. */
const freshMs = 1000
const idleMs = 5000

export const createReachability = (options: ReachabilityOptions): Reachability => {
  const { link, onChange } = options
  let reach: Reach = 'ok'
  let connectedAt = performance.now()
  let isClosed = false
  let probing: Promise<boolean> | undefined

  const set = (next: Reach): void => {
    if (next === reach || isClosed) return
    reach = next
    onChange(next)
  }
  const probe = async (): Promise<boolean> => {
    try {
      await options.probe()
    } catch (cause) {
      if (serverErrorOf(cause) === 'transient') return false
    }
    link.calls.noteStored()
    return true
  }
  /** Whether the cluster answers. All who ask at the same time get the same answer. */
  const answers = (): Promise<boolean> => {
    probing ??= probe().finally(() => {
      probing = undefined
    })
    return probing
  }
  const settle = async (): Promise<void> => {
    if (await answers()) {
      // Other streams may have no leader yet.
      if (reach !== 'ok' && !link.calls.haveStalled(stallMs)) set('returning')
    } else if (link.isConnected()) set('silent')
  }
  const tick = (): void => {
    const now = performance.now()
    if (link.isConnected()) connectedAt = now
    if (now - connectedAt >= graceMs) set('disconnected')
    if (!link.isConnected()) return
    if (reach !== 'disconnected' && link.calls.haveStalled(stallMs)) set('silent')
    else if (reach === 'returning' && options.isDrained()) set('ok')
    const isQuiet = reach === 'ok' && link.calls.sinceStored() < idleMs
    if (!isQuiet && reach !== 'returning') void settle()
  }
  const timer = setInterval(tick, tickMs).unref()

  return {
    async check() {
      const isFresh = link.calls.sinceStored() < freshMs
      if (reach === 'ok' && link.isConnected() && !isFresh) await settle()
    },
    close() {
      isClosed = true
      clearInterval(timer)
    },
  }
}
