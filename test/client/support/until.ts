import { setImmediate } from 'node:timers/promises'

/** Waits until a condition holds; the time limit of the test applies. */
export const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await setImmediate()
}
