import type { ContextGauge, IterationOutcome, LoopIteration, Totals } from '../events/types.ts'
import { addTotals } from '../events/usage-sums.ts'
import type { LoopRecord } from '../log/types.ts'
import { defined } from '../shared/fields.ts'
import { shortened } from '../shared/shortened.ts'

/** How many iterations a record lists. The sessions of all are in the log. */
const listedIterations = 50

/** How an iteration ended. */
export interface IterationResult {
  outcome: IterationOutcome
  durationMs: number
  turns?: number | undefined
  usage?: Totals | undefined
  context?: ContextGauge | undefined
  message?: string | undefined
  /** SHA-256 of the final text, in hex. */
  textHash?: string | undefined
}

/** The loop with a new iteration. */
export const withIteration = (loop: LoopRecord, sessionId: string, now: number): LoopRecord => {
  const iteration = loop.iterationCount + 1
  const started: LoopIteration = { iteration, sessionId, startedAt: now }
  const { waitsFor: _, nextAt: __, ...rest } = loop
  return {
    ...rest,
    state: 'running',
    iterationCount: iteration,
    iterations: [...loop.iterations, started].slice(-listedIterations),
    updatedAt: now,
  }
}

/** The loop with what its running iteration has used so far. */
export const withProgress = (
  loop: LoopRecord,
  progress: Pick<LoopIteration, 'turns' | 'usage' | 'context'>,
): LoopRecord => ({ ...loop, iterations: replaceLast(loop.iterations, progress) })

/** The loop after its iteration: sums, and what counts in a row. */
export const withResult = (loop: LoopRecord, result: IterationResult, now: number): LoopRecord => {
  const { textHash, message, ...figures } = result
  const { outcome, durationMs, usage } = result
  const hasText = outcome === 'completed' && textHash !== undefined
  return {
    ...loop,
    ...(hasText && { lastText: textHash }),
    iterations: replaceLast(
      loop.iterations,
      defined({ ...figures, message: message === undefined ? message : shortened(message, 500) }),
    ),
    durationMs: loop.durationMs + durationMs,
    usage: usage ? addTotals(loop.usage, usage) : loop.usage,
    failures: failuresAfter(loop.failures, outcome),
    stale: hasText ? (textHash === loop.lastText ? loop.stale + 1 : 1) : loop.stale,
    updatedAt: now,
  }
}

/** A rate limit or a person is no failure of the agent, and no success either. */
const failuresAfter = (failures: number, outcome: IterationOutcome): number => {
  if (outcome === 'failed' || outcome === 'idle_timeout') return failures + 1
  return outcome === 'completed' || outcome === 'promise' ? 0 : failures
}

const replaceLast = (
  iterations: readonly LoopIteration[],
  change: Partial<LoopIteration>,
): LoopIteration[] => {
  const last = iterations.at(-1)
  return last ? [...iterations.slice(0, -1), { ...last, ...change }] : []
}
