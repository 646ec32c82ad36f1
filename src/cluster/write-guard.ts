import { fenced } from '../log/jetstream/event-lane.ts'
import { closedLog } from '../log/log-fault.ts'
import type { NodeLease } from './node-lease.ts'
import type { Owners } from './owners.ts'

/**
 * Decides whether this node may write events of a session. While its lease is not sure, they wait:
 * another node may own the session by now.
 */
export interface WriteGuard {
  /** Undefined: it may. Resolves when it may; rejects with `fenced` when the lease is lost. */
  mayWrite(sessionId: string): Promise<void> | undefined
  /** The lease was renewed or lost. */
  check(): void
  /** Ends all waiting. */
  close(): void
}

interface Waiting extends PromiseWithResolvers<void> {
  readonly id: string
}

export const createWriteGuard = ({
  owners,
  lease,
}: {
  owners: Pick<Owners, 'held' | 'isRevoked'>
  lease: Pick<NodeLease, 'isCurrent'>
}): WriteGuard => {
  const waiting = new Set<Waiting>()
  let isClosed = false

  return {
    mayWrite(id) {
      if (owners.isRevoked(id)) return Promise.reject(fenced(id))
      // What no node owns, such as an import, has one writer.
      if (isClosed || lease.isCurrent() || !owners.held().has(id)) return undefined
      const entry = { id, ...Promise.withResolvers<void>() }
      waiting.add(entry)
      return entry.promise
    },
    check() {
      for (const entry of waiting) {
        if (owners.isRevoked(entry.id)) entry.reject(fenced(entry.id))
        else if (lease.isCurrent()) entry.resolve()
        else continue
        waiting.delete(entry)
      }
    },
    close() {
      isClosed = true
      for (const entry of waiting) entry.reject(closedLog())
      waiting.clear()
    },
  }
}
