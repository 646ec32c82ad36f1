import { describe, expect, test } from 'vitest'
import type { IterationOutcome, LoopIteration, Totals } from '../../src/events/types.ts'
import { emptyTotals } from '../../src/events/usage-sums.ts'
import type { LoopRecord } from '../../src/log/types.ts'
import { withIteration, withProgress, withResult } from '../../src/loop/iterations.ts'
import { spentLimit } from '../../src/loop/limits.ts'
import { nextStep } from '../../src/loop/next-step.ts'
import { loop } from '../log/samples.ts'

const usage = (costUsd: number | null, output: number): Totals => ({
  ...emptyTotals(),
  output,
  costUsd,
})

const iteration = (
  outcome: IterationOutcome,
  more: Partial<LoopIteration> = {},
): LoopIteration => ({
  iteration: 1,
  sessionId: 's',
  startedAt: 1000,
  outcome,
  ...more,
})

describe('the next step', () => {
  test.each<[string, Partial<LoopRecord>, string]>([
    ['the promise', { iterations: [iteration('promise')] }, 'promise'],
    ['iterations', { limits: { maxIterations: 2 }, iterationCount: 2 }, 'max_iterations'],
    ['time', { limits: { maxDurationMs: 60 }, durationMs: 60 }, 'max_duration'],
    ['money', { limits: { maxCostUsd: 1 }, usage: usage(1, 5) }, 'max_cost'],
    ['tokens', { limits: { maxTokens: 5 }, usage: usage(null, 5) }, 'max_tokens'],
    ['failures', { limits: { maxFailures: 5 }, failures: 5 }, 'max_failures'],
    ['the same text', { limits: { maxStale: 3 }, stale: 3 }, 'max_stale'],
  ])('%s ends a loop', (_, more, reason) => {
    expect(nextStep(loop('a', more), 2000)).toMatchObject({ kind: 'end', reason })
  })

  test('a limit that is not met, or not set, ends nothing', () => {
    const used = { usage: usage(0.99, 4), durationMs: 59, failures: 0, stale: 2, iterationCount: 1 }
    const limits = { maxIterations: 2, maxDurationMs: 60, maxCostUsd: 1, maxTokens: 5, maxStale: 3 }
    expect(nextStep(loop('a', { ...used, limits }), 2000)).toEqual({ kind: 'run' })
    expect(nextStep(loop('a', { ...used, limits: {} }), 2000)).toEqual({ kind: 'run' })
  })

  test('an unknown cost is not compared: it is not zero either', () => {
    const unknown = loop('a', { limits: { maxCostUsd: 1 }, usage: usage(null, 9) })
    expect(nextStep(unknown, 2000)).toEqual({ kind: 'run' })
  })

  test('failures wait longer and longer', () => {
    const stepAfter = (failures: number) =>
      nextStep(loop('a', { failures, iterations: [iteration('failed')] }), 0)
    expect(stepAfter(1)).toEqual({ kind: 'wait', waitsFor: 'retry', until: 1000 })
    expect(stepAfter(3)).toEqual({ kind: 'wait', waitsFor: 'retry', until: 4000 })
    expect(stepAfter(30)).toEqual({ kind: 'wait', waitsFor: 'retry', until: 60_000 })
  })

  test('a rate limit is waited for until it ends, or for 5, 10, 20 … 60 minutes', () => {
    const limited = (count: number) =>
      loop('a', { iterations: Array.from({ length: count }, () => iteration('rate_limited')) })
    expect(nextStep(limited(1), 0, { resetsAt: 9000 })).toEqual({
      kind: 'wait',
      waitsFor: 'rate_limit',
      until: 10_000,
    })
    expect(nextStep(limited(1), 0)).toMatchObject({ until: 5 * 60_000 })
    expect(nextStep(limited(3), 0)).toMatchObject({ until: 20 * 60_000 })
    expect(nextStep(limited(9), 0)).toMatchObject({ until: 60 * 60_000 })
  })

  test('a schedule starts at once, and then at its times', () => {
    const schedule = { everyMs: 60_000 }
    expect(nextStep(loop('a', { schedule }), 5)).toEqual({ kind: 'run' })
    const done = { schedule, iterations: [iteration('completed')] }
    expect(nextStep(loop('a', done), 2000)).toEqual({
      kind: 'wait',
      waitsFor: 'schedule',
      until: 61_000,
    })
    // The iteration took longer than that: the time that passed is left out.
    expect(nextStep(loop('a', done), 130_000)).toMatchObject({ until: 181_000 })
  })
})

describe('the sums of a loop', () => {
  const ran = (record: LoopRecord, outcome: IterationOutcome, textHash?: string) =>
    withResult(
      withIteration(record, 's', 0),
      { outcome, durationMs: 10, usage: usage(0.5, 2), textHash },
      1,
    )

  test('failures count in a row, and a rate limit or a person changes nothing', () => {
    let record = loop('a')
    for (const outcome of ['failed', 'idle_timeout', 'rate_limited', 'aborted'] as const)
      record = ran(record, outcome)
    expect(record).toMatchObject({ failures: 2, iterationCount: 4, durationMs: 40 })
    expect(record.usage.costUsd).toBe(2)
    expect(ran(record, 'completed', 'a'.repeat(64)).failures).toBe(0)
  })

  test('the same text counts in a row', () => {
    const [a, b] = ['a'.repeat(64), 'b'.repeat(64)]
    let record = ran(loop('a'), 'completed', a)
    record = ran(record, 'completed', a)
    expect(record.stale).toBe(2)
    record = ran(record, 'failed', b)
    expect(ran(record, 'completed', a).stale).toBe(3)
    expect(ran(record, 'completed', b).stale).toBe(1)
  })

  test('only the last 50 iterations are listed', () => {
    let record = loop('a')
    for (let count = 0; count < 60; count += 1) record = ran(record, 'completed')
    expect(record.iterations).toHaveLength(50)
    expect(record.iterations.at(-1)).toMatchObject({ iteration: 60, durationMs: 10 })
  })

  test('what runs counts for the limits before it is over', () => {
    const record = loop('a', { limits: { maxCostUsd: 1 }, usage: usage(0.6, 1) })
    const running = withProgress(withIteration(record, 's', 0), { usage: usage(0.3, 1) })
    expect(spentLimit(running, { usage: usage(0.3, 1), durationMs: 0 })).toBeUndefined()
    expect(spentLimit(running, { usage: usage(0.4, 1), durationMs: 0 })).toMatchObject({
      reason: 'max_cost',
    })
  })
})
