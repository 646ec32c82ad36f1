import { setImmediate } from 'node:timers/promises'

/** Waits until something holds; the limit of the test is the limit of the wait. */
export const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await setImmediate()
}
