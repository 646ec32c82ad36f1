import { Fault } from '../shared/fault.ts'

/** A move that did not begin, or did not finish. What was copied stays, so that it can be continued. */
export const failed = (message: string): Fault => new Fault('move_failed', message)
