import { expect, test } from 'vitest'
import type { CostReport } from '../../../src/api/types.ts'
import { cellsOf } from '../../../src/cli/cost/cells.ts'
import { costCsv } from '../../../src/cli/cost/cost-csv.ts'
import { costNotes, wrapped } from '../../../src/cli/cost/cost-notes.ts'
import { costPlot, costTable } from '../../../src/cli/cost/cost-table.ts'
import { statusLine } from '../../../src/cli/cost/status-line.ts'
import { type CostReportOptions, costReportOf } from '../../../src/cost/cost-report.ts'
import { costSourceOf } from '../../../src/cost/log-cost-source.ts'
import { createStyle } from '../../../src/handler/style.ts'
import { openMemoryLog } from '../../../src/log/index.ts'
import { session, usageEvent } from '../../log/samples.ts'

const now = Date.parse('2026-11-16T11:00Z')
const computed = { tokens: 'reported', cost: 'computed' } as const
const estimated = { tokens: 'reported', cost: 'estimated' } as const

const reportOf = async (options: Partial<CostReportOptions> = {}): Promise<CostReport> => {
  const log = await openMemoryLog()
  await log.sessions.create(
    session('a', { title: '=日本語 🎉 a title, that is too long for a screen' }),
  )
  await log.sessions.create(session('b', { title: 'Roses\u001b[2J' }))
  await log.append('a', [
    usageEvent('a', 1, Date.parse('2026-11-15T10:00Z'), {
      opus: { input: 12_300, output: 940, cacheRead: 5_600_000, cacheWrite: 8000, costUsd: 12.5 },
      own: { input: 999_900 },
    }),
  ])
  await log.append('b', [
    usageEvent('b', 1, Date.parse('2026-11-16T10:20Z'), {
      gpt: { input: 100, output: 7, costUsd: 0.05, provenance: computed },
      haiku: { input: 5, costUsd: 1, provenance: estimated },
    }),
  ])
  const defaults = { group: 'day', timezone: 'UTC', now } as const
  return costReportOf(costSourceOf(log), { ...defaults, ...options })
}

const plain = { style: createStyle(false) }

test('a table shows the amounts, and marks where they come from', async () => {
  expect(costTable(await reportOf(), { ...plain, width: 80 })).toBe(
    [
      'Day         Input  Output  Cache rd  Cache wr  Calls      Cost',
      '2026-11-15   1.0M     940      5.6M      8.0k      0   $12.50+',
      '2026-11-16    105       7         0         0      0    ≥$1.05',
      'Total        1.0M     947      5.6M      8.0k      0  ≥$13.55+',
      '',
    ].join('\n'),
  )
  expect(costTable(await reportOf({ group: 'model' }), { ...plain, width: 30 })).toBe(
    [
      'Model  Tokens      Cost',
      'opus     5.6M    $12.50',
      'haiku       5    ≥$1.00',
      'gpt       107  ≈$0.0500',
      'own      1.0M  no price',
      'Total    6.6M  ≥$13.55+',
      '',
    ].join('\n'),
  )
})

test.each([20, 28, 40, 60, 80, 200])('nothing is wider than %i columns', async (width) => {
  const reports = [
    await reportOf({ group: 'session', breakdown: true }),
    await reportOf({ group: 'block' }),
  ]
  for (const report of reports) {
    const texts = [costTable(report, { ...plain, width }), costPlot(report, { ...plain, width })]
    if (width >= 40) texts.push(...costNotes(report, now).map((note) => wrapped(note, width)))
    for (const line of texts.join('\n').split('\n'))
      expect(cellsOf(line), line).toBeLessThanOrEqual(Math.max(width, 28))
  }
})

test('the longest bar is as long as the screen allows, and the others by their cost', async () => {
  const report = await reportOf()
  const [first, second] = costPlot(report, { ...plain, width: 40 }).split('\n')
  expect(first).toBe(`2026-11-15  ${'█'.repeat(19)}  $12.50+`)
  expect(second).toBe(`2026-11-16  █▋${' '.repeat(17)}   ≥$1.05`)
})

test('notes name what is computed, a lower bound, or has no price, and the pace', async () => {
  expect(costNotes(await reportOf({ group: 'block' }), now)).toEqual([
    'Now: $1.40 per hour, 2 tokens per minute. 4h 0m left.',
    'At this pace the block ends with $6.65, 709 tokens.',
    '≈ $0.0500 is computed from token prices.',
    '≥ $1.00 is a lower bound: the agent has not reported the final cost.',
    '+ No price, not in the cost: own (1.0M tokens). Set one with `sluice prices set`.',
  ])
})

test('CSV has a line for each row or model, and no formula', async () => {
  const csv = costCsv(await reportOf({ group: 'session', breakdown: true })).split('\n')
  expect(csv[0]).toMatch(/^group,key,name,agent,model,start,end,input,output,/)
  expect(csv[1]).toBe(
    'session,a,"\'=日本語 🎉 a title, that is too long for a screen",pi,opus,,,12300,940,5600000,8000,0,0,0,0,12.5,12.5,0,0,',
  )
  expect(csv[2]).toMatch(/,own,,,999900,0,0,0,0,0,0,0,,0,0,0,own$/)
  expect(csv[3]).toMatch(/^session,b,Roses,pi,haiku,/)
  const days = costCsv(await reportOf()).split('\n')
  expect(days[1]).toMatch(/^day,2026-11-15,,,,2026-11-15T00:00:00.000Z,2026-11-16T00:00:00.000Z,/)
})

test('the status line shows what Claude Code says and what Sluice has counted', async () => {
  const today = await reportOf({ since: Date.parse('2026-11-16T00:00Z') })
  const blocks = await reportOf({ group: 'block', since: now - 86_400_000 })
  const status = {
    model: { id: 'claude-opus', display_name: 'Opus\u001b]0;x\u0007' },
    cost: { total_cost_usd: 0.4211 },
    context_window: { used_percentage: 26.4 },
  }
  expect(statusLine({ input: JSON.stringify(status), today, blocks, now })).toBe(
    'Opus · $0.42 session · ≥$1.05 today · ≥$1.05 block, 4h 0m left · $1.40/h · 26% context',
  )
  for (const input of ['', 'garbage', '[]', '{"model":5,"cost":null}'])
    expect(statusLine({ input, today, blocks, now })).toMatch(/^≥\$1.05 today · /)
})
