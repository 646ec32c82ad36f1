import { setImmediate } from 'node:timers/promises'

/** How long a search may hold up everything else. */
const sliceMs = 2

/** Returns a function to await in a long loop: it lets other work run every few milliseconds. */
export const createTimeSlices = (): (() => Promise<void> | undefined) => {
  let until = performance.now() + sliceMs
  return () => {
    if (performance.now() < until) return undefined
    return setImmediate().then(() => {
      until = performance.now() + sliceMs
    })
  }
}
