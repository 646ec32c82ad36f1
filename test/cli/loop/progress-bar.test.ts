import { expect, test } from 'vitest'
import { iterationLine, unpricedLine } from '../../../src/cli/loop/loop-lines.ts'
import { progressLine } from '../../../src/cli/loop/progress-bar.ts'
import { emptyTotals } from '../../../src/events/usage-sums.ts'
import { loopInfoOf } from '../../../src/log/loop-info.ts'
import { loop } from '../../log/samples.ts'

const running = loopInfoOf(
  loop('a', {
    limits: { maxIterations: 10, maxCostUsd: 4, maxDurationMs: 3_600_000 },
    iterationCount: 3,
    durationMs: 60_000,
    usage: { ...emptyTotals(), output: 5000, costUsd: 1 },
    iterations: [
      {
        ...{ iteration: 3, sessionId: 's', startedAt: 0 },
        usage: { ...emptyTotals(), output: 500, costUsd: 1 },
      },
    ],
  }),
)

test('the bar shows the limit that is nearest, with what runs now', () => {
  expect(progressLine(running, 79, 120_000)).toBe(
    '[████████░░░░░░░░] 3/10 $2.00/$4.00 5.5k tok 3m/1h',
  )
  expect(progressLine(running, 39, 120_000)).toBe('[████░░░░] 3/10 $2.00/$4.00 5.5k tok')
})

test('a row fits 80 columns, and has two lines on 40; the text of an agent cannot control the screen', () => {
  const iteration = {
    ...{ iteration: 12, sessionId: 's', startedAt: 0, durationMs: 125_000, turns: 3 },
    ...({ outcome: 'failed', message: `\u001b]0;title\u0007${'long '.repeat(50)}` } as const),
    usage: { ...emptyTotals(), costUsd: null },
  }
  for (const width of [80, 40]) {
    const lines = iterationLine(iteration, width).trimEnd().split('\n')
    expect(lines).toHaveLength(width === 80 ? 2 : 3)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width)
    expect(lines.join('')).not.toContain('\u001b')
  }
})

test('a row marks a cost that is a lower bound', () => {
  const usage = { ...emptyTotals(), costUsd: 0.5 }
  const iteration = { iteration: 1, sessionId: 's', startedAt: 0, turns: 2 }
  const estimated = { ...usage, provenance: { tokens: 'estimated', cost: 'estimated' } } as const
  expect(iterationLine({ ...iteration, usage: estimated }, 80)).toContain(' ≥$0.5000')
  expect(iterationLine({ ...iteration, usage }, 80)).toContain('  $0.5000')
})

test('a limit on money says which models it does not count', () => {
  const usage = { ...emptyTotals(), unpriced: ['my-model'] }
  expect(unpricedLine({ ...running, usage })).toBe(
    '--max-cost does not count my-model: no price is known. Limit the tokens with --max-tokens, or set a price with: sluice prices set\n',
  )
  expect(unpricedLine({ ...running, usage, limits: { maxTokens: 5 } })).toBeUndefined()
  expect(unpricedLine(running)).toBeUndefined()
})
