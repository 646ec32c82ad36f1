import { setImmediate } from 'node:timers/promises'

/** How long a search may hold up everything else. */
const sliceMs = 2

/** Returns a function that lets other work run when a slice of time is used up. */
export const createPauses = (): (() => Promise<void> | undefined) => {
  let until = performance.now() + sliceMs
  return () => {
    if (performance.now() < until) return undefined
    return setImmediate().then(() => {
      until = performance.now() + sliceMs
    })
  }
}
