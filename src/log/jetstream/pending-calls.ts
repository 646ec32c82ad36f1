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
  /** The server has answered a call. */
  noteAnswer(): void
  /** How long ago the server answered last, in ms. */
  sinceAnswer(): number
  /** Whether a call has been tried in vain for this long. */
  haveStalled(ms: number): boolean
}

export const createPendingCalls = (): PendingCalls => {
  /** The oldest is the first. */
  const pending = new Set<PendingCall>()
  let answeredAt = performance.now()
  return {
    add() {
      const call = { since: performance.now(), hasFailed: false }
      pending.add(call)
      return call
    },
    remove: (call) => void pending.delete(call),
    noteAnswer() {
      answeredAt = performance.now()
    },
    sinceAnswer: () => performance.now() - answeredAt,
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
