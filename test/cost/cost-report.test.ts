import { expect, test } from 'vitest'
import { costReport } from '../../src/api/cost.ts'
import { type CostReportOptions, costReportOf } from '../../src/cost/cost-report.ts'
import { costSourceOf } from '../../src/cost/log-cost-source.ts'
import { openMemoryLog } from '../../src/log/index.ts'
import { project, session, usageEvent } from '../log/samples.ts'

const at = (text: string): number => Date.parse(`${text}Z`)

/** Two sessions: one of a project, over midnight of Berlin; one that is deleted. */
const openLog = async () => {
  const log = await openMemoryLog()
  await log.projects.create(project('p'))
  await log.sessions.create(session('a', { projectId: 'p', title: 'First' }))
  await log.sessions.create(session('b', { agent: 'claude' }))
  await log.append('a', [
    usageEvent('a', 1, at('2026-11-15T22:50'), { opus: { input: 100, costUsd: 1 } }),
    usageEvent('a', 2, at('2026-11-15T23:10'), { opus: { input: 300, costUsd: 3 } }),
  ])
  await log.append('b', [
    usageEvent('b', 1, at('2026-11-16T10:20'), {
      opus: { input: 50, costUsd: 10 },
      own: { input: 7 },
    }),
  ])
  await log.sessions.remove('b')
  return log
}

const reportOf = async (options: Partial<CostReportOptions>) => {
  const report = await costReportOf(costSourceOf(await openLog()), {
    ...{ group: 'day', timezone: 'Europe/Berlin', now: at('2026-11-16T11:00') },
    ...options,
  })
  return costReport.parse(report)
}

const keysOf = ({ rows }: { rows: { key: string; sums: { costUsd: number | null } }[] }) =>
  rows.map(({ key, sums }) => [key, sums.costUsd])

test('days are those of the time zone, and deleted sessions are in them', async () => {
  const report = await reportOf({})
  expect(keysOf(report)).toEqual([
    ['2026-11-15', 1],
    ['2026-11-16', 12],
  ])
  expect(report.rows[1]).toMatchObject({
    start: at('2026-11-15T23:00'),
    firstUse: at('2026-11-15T23:00'),
    lastUse: at('2026-11-16T10:30'),
  })
  expect(report.total).toMatchObject({ input: 357, costUsd: 13, unpriced: ['own'] })
  expect(keysOf(await reportOf({ timezone: 'UTC' }))).toEqual([
    ['2026-11-15', 3],
    ['2026-11-16', 10],
  ])
})

test('weeks, months, sessions, projects, agents and models', async () => {
  expect(keysOf(await reportOf({ group: 'week' }))).toEqual([
    ['2026-11-09', 1],
    ['2026-11-16', 12],
  ])
  expect(keysOf(await reportOf({ group: 'month' }))).toEqual([['2026-11', 13]])
  const sessions = await reportOf({ group: 'session' })
  expect(sessions.rows).toMatchObject([
    { key: 'b', agent: 'claude', sums: { costUsd: 10 } },
    { key: 'a', agent: 'pi', name: 'First', sums: { costUsd: 3 } },
  ])
  expect(sessions.rows[0]?.name).toBeUndefined()
  expect((await reportOf({ group: 'project' })).rows).toMatchObject([
    { key: '', sums: { costUsd: 10 } },
    { key: 'p', name: 'project p', sums: { costUsd: 3 } },
  ])
  expect(keysOf(await reportOf({ group: 'agent' }))).toEqual([
    ['claude', 10],
    ['pi', 3],
  ])
  expect(keysOf(await reportOf({ group: 'model' }))).toEqual([
    ['opus', 13],
    ['own', null],
  ])
})

test('a breakdown lists the models of each row, and a limit leaves rows out', async () => {
  const { rows } = await reportOf({ breakdown: true })
  expect(rows[1]?.models).toMatchObject([
    { model: 'opus', sums: { costUsd: 12 } },
    { model: 'own', sums: { costUsd: null } },
  ])
  const limited = await reportOf({ limit: 1 })
  expect(keysOf(limited)).toEqual([['2026-11-16', 12]])
  expect(limited).toMatchObject({ omitted: 1, total: { costUsd: 13 } })
  const one = await reportOf({ group: 'session', limit: 1, until: at('2026-11-16T00:00') })
  expect(keysOf(one)).toEqual([['a', 3]])
  expect(one.omitted).toBeUndefined()
})

test('a block lasts five hours, and the one that is running has a pace', async () => {
  const { rows } = await reportOf({ group: 'block' })
  expect(keysOf({ rows })).toEqual([
    ['2026-11-15T22:00:00.000Z', 3],
    ['2026-11-16T10:00:00.000Z', 10],
  ])
  expect(rows[0]?.pace).toBeUndefined()
  // 10 dollars since 10:15, and four hours left: 45 minutes cost 10 dollars.
  expect(rows[1]?.pace?.usdPerHour).toBeCloseTo(10 / 0.75)
  expect(rows[1]?.pace?.projectedUsd).toBeCloseTo(10 + (4 * 10) / 0.75)
  expect(rows[1]?.pace?.tokensPerMinute).toBeCloseTo(57 / 45)
  const later = await reportOf({ group: 'block', now: at('2026-11-16T15:00') })
  expect(later.rows[1]?.pace).toBeUndefined()
})
