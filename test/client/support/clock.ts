import type { Platform } from '../../../src/client/index.ts'

interface Timer {
  run(): void
  due: number
}

/** The time and the page of a client, controlled by the test. */
export interface Clock {
  /** The parts to pass to `createClient`. */
  platform: Omit<Platform, 'fetch'>
  /** How long each timer has left, in ms. */
  timeLeft(): number[]
  /** Lets time pass; runs the timers that are due. */
  advance(ms: number): void
  /** Makes the page active: its network is back, or it becomes visible. */
  activate(): void
  /** How many listeners wait for the page to become active. */
  activeListeners(): number
}

export const createClock = (): Clock => {
  const timers = new Set<Timer>()
  const listeners = new Set<() => void>()
  let now = 1_000_000
  return {
    platform: {
      now: () => now,
      setTimer(run, ms) {
        const timer = { run, due: now + ms }
        timers.add(timer)
        return () => void timers.delete(timer)
      },
      // No jitter: half way between less and more.
      random: () => 0.5,
      onActive(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    timeLeft: () => [...timers].map(({ due }) => due - now),
    advance(ms) {
      now += ms
      for (const timer of [...timers]) {
        if (timer.due > now || !timers.delete(timer)) continue
        timer.run()
      }
    },
    activate() {
      for (const listener of [...listeners]) listener()
    },
    activeListeners: () => listeners.size,
  }
}
