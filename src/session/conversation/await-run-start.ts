import { finishesWithin } from '../../shared/finishes-within.ts'
import type { Driver } from './driver.ts'

const defaultBeginMs = 1000
/** How often the wait is doubled: with a second at first, it ends after two minutes. */
const doublings = 6

/**
 * Waits for the run that comes of a prompt which the agent has taken. Not every prompt makes one: a
 * command of an extension may do its work without the model. True when there was none: the agent
 * says that it rests, or nothing came for long.
 */
export const startsNoRun = async (
  driver: Pick<Driver, 'activity'>,
  begins: Promise<unknown>,
  firstMs = defaultBeginMs,
): Promise<boolean> => {
  for (let doubled = 0; doubled <= doublings; doubled += 1) {
    if (await finishesWithin(begins, firstMs * 2 ** doubled)) return false
    const activity = await Promise.race([driver.activity(), begins.then(() => 'begun' as const)])
    if (activity === 'begun') return false
    if (activity === 'resting') return true
  }
  return true
}
