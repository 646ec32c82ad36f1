import type { Platform } from '../../../src/client/platform.ts'

interface Timer {
  run(): void
  due: number
}

/** Time that passes when a test says so, and a tab that wakes when it does. */
export const createClock = (random = 0.5) => {
  const timers = new Set<Timer>()
  const sleepers = new Set<() => void>()
  let now = 1_000_000
  const platform = {
    now: () => now,
    setTimer(run, ms) {
      const timer = { run, due: now + ms }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    random: () => random,
    onActive(listener) {
      sleepers.add(listener)
      return () => void sleepers.delete(listener)
    },
  } satisfies Partial<Platform>
  return {
    platform,
    now: () => now,
    /** How long each timer has left. */
    left: () => [...timers].map(({ due }) => due - now),
    advance(ms: number): void {
      now += ms
      for (const timer of [...timers]) {
        if (timer.due > now || !timers.delete(timer)) continue
        timer.run()
      }
    },
    wake(): void {
      for (const listener of [...sleepers]) listener()
    },
    sleepers: () => sleepers.size,
  }
}
