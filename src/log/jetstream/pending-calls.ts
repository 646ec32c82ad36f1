/** A call to the server that has not ended. */
export interface PendingCall {
  readonly since: number
  /** Whether at least one try got no answer, or there was no connection for it. */
  hasFailed: boolean
}

/** The calls that wait for an answer of the server. */
export interface PendingCalls {
  add(): PendingCall
  remove(call: PendingCall): void
  /** The cluster has stored something. An answer to a read proves little: it needs no quorum. */
  noteStored(): void
  /** How long ago the cluster stored something last, in ms. */
  sinceStored(): number
  /** Whether a call has been tried in vain for this long. */
  haveStalled(ms: number): boolean
}

export const createPendingCalls = (): PendingCalls => {
  /** The oldest is the first. */
  const pending = new Set<PendingCall>()
  let storedAt = performance.now()
  return {
    add() {
      const call = { since: performance.now(), hasFailed: false }
      pending.add(call)
      return call
    },
    remove: (call) => void pending.delete(call),
    noteStored() {
      storedAt = performance.now()
    },
    sinceStored: () => performance.now() - storedAt,
    haveStalled(ms) {
      const latest = performance.now() - ms
      for (const { since, hasFailed } of pending) {
        if (since > latest) return false
        if (hasFailed) return true
      }
      return false
    },
  }
}
