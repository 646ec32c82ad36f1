import { setTimeout as delay } from 'node:timers/promises'

/** The wait between two scans. */
export interface ScanPause {
  wait(times: { most: number; least: number }): Promise<void>
  /** Ends the wait early; before it begins, the next one. */
  end(): void
}

/** The shortest wait: what comes in a burst leads to one more scan. */
const burstMs = 200

export const createScanPause = (signal: AbortSignal): ScanPause => {
  let ending = new AbortController()
  const sleep = (ms: number, ends: AbortSignal): Promise<void> =>
    delay(ms, undefined, { signal: ends, ref: false }).catch(() => {})
  return {
    async wait({ most, least }) {
      const shortest = Math.max(least, Math.min(most, burstMs))
      await sleep(shortest, signal)
      await sleep(most - shortest, AbortSignal.any([signal, ending.signal]))
      ending = new AbortController()
    },
    end: () => ending.abort(),
  }
}
