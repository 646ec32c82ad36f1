/** Measures how long an agent works: the time of its runs, without that in which it waits for people. */
export interface WorkClock {
  /** A run starts. */
  start(): void
  /** The run ends, and with it everything that waits. */
  stop(): void
  /** Something waits for a person. */
  wait(id: string): void
  /** It waits no longer. */
  answered(id: string): void
  /** Whether the time counts now. */
  isRunning(): boolean
  /** How long the agent has worked, in ms. */
  ms(): number
}

/** `now`: the time in ms. */
export const createWorkClock = (now: () => number, workedMs = 0): WorkClock => {
  const waiting = new Set<string>()
  let total = workedMs
  let isOpen = false
  let since: number | undefined

  const adjust = (): void => {
    const isCounted = isOpen && waiting.size === 0
    if (isCounted) since ??= now()
    else if (since !== undefined) {
      total += Math.max(0, now() - since)
      since = undefined
    }
  }

  return {
    start() {
      isOpen = true
      adjust()
    },
    stop() {
      isOpen = false
      adjust()
    },
    wait(id) {
      waiting.add(id)
      adjust()
    },
    answered(id) {
      waiting.delete(id)
      adjust()
    },
    isRunning: () => since !== undefined,
    ms: () => Math.round(total + (since === undefined ? 0 : Math.max(0, now() - since))),
  }
}
