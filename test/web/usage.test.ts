import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import type { TurnUsage } from '../../src/api/index.ts'
import { CostPlot } from '../../web/src/panels/cost-plot.tsx'

const turn = (input: number, costUsd: number | null): TurnUsage => ({
  startedAt: 1,
  totals: {
    input,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    costUsd,
    provenance: { tokens: 'reported', cost: costUsd === null ? null : 'reported' },
  },
})

const show = (...turns: TurnUsage[]): string =>
  renderToStaticMarkup(createElement(CostPlot, { turns }))

describe('the plot of runs', () => {
  test('shows the cost if there is one', () => {
    expect(show(turn(10, null), turn(10, 0.5))).toContain('<h3>Cost per run</h3>')
  })

  test.each([null, 0])('shows tokens if the cost is %j', (costUsd) => {
    const html = show(turn(10, costUsd))
    expect(html).toContain('<h3>Tokens per run</h3>')
    expect(html).toContain('aria-label="Tokens per run, 1 in total"')
  })

  test.each([null, 0])('is hidden if all tokens are 0 and the cost is %j', (costUsd) => {
    expect(show(turn(0, costUsd), turn(0, costUsd))).toBe('')
  })
})
