import type { LoopWait } from '../events/types.ts'
import { type LoopProgress, type MetLimit, metLimit } from './limits.ts'
import { guessedWaitMs } from './rate-limit.ts'
import { nextTime } from './schedule.ts'

/** What a loop does next. */
export type LoopStep =
  | ({ kind: 'end' } & MetLimit)
  | { kind: 'wait'; waitsFor: LoopWait; until: number }
  | { kind: 'run' }

/** What the loop learned when its last iteration ended. */
export interface LastIteration {
  /** When the rate limit ends, in ms since 1970, if the agent says it. */
  resetsAt?: number | undefined
}

/** What a loop does after its last iteration, or at its start. */
export const nextStep = (loop: LoopProgress, now: number, last: LastIteration = {}): LoopStep => {
  const { iterations, schedule } = loop
  const previous = iterations.at(-1)
  if (previous?.outcome === 'promise')
    return { kind: 'end', reason: 'promise', message: `The agent printed “${loop.promise}”.` }
  const limit = metLimit(loop)
  if (limit) return { kind: 'end', ...limit }
  const due = waitAfter(loop, now, last)
  if (due && due.until > now) return { kind: 'wait', ...due }
  if (!schedule) return { kind: 'run' }
  const until = nextTime(schedule, previous?.startedAt, now)
  if (until === undefined)
    return { kind: 'end', reason: 'failed', message: 'The schedule has no further time.' }
  return until > now ? { kind: 'wait', waitsFor: 'schedule', until } : { kind: 'run' }
}

/** The wait after a rate limit or a failure, which comes before the schedule. */
const waitAfter = (
  { iterations, failures }: LoopProgress,
  now: number,
  { resetsAt }: LastIteration,
): { waitsFor: LoopWait; until: number } | undefined => {
  const last = iterations.at(-1)
  if (last?.outcome === 'rate_limited') {
    const others = iterations.findLastIndex(({ outcome }) => outcome !== 'rate_limited')
    const guessed = now + guessedWaitMs(iterations.length - 1 - others)
    // A second more: the clocks of two machines differ.
    return { waitsFor: 'rate_limit', until: resetsAt === undefined ? guessed : resetsAt + 1000 }
  }
  if (failures === 0 || (last?.outcome !== 'failed' && last?.outcome !== 'idle_timeout'))
    return undefined
  return { waitsFor: 'retry', until: now + retryDelayMs(failures) }
}

/** A pause that doubles with each failure in a row: 1, 2, 4 … 60 seconds. */
export const retryDelayMs = (failures: number): number =>
  Math.min(60, 2 ** Math.max(0, failures - 1)) * 1000
