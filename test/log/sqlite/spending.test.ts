import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { type Log, openSqliteLog, spendingStepMs } from '../../../src/log/index.ts'
import { checkSqlite } from '../../../src/log/sqlite/check.ts'
import { migrate, migrations } from '../../../src/log/sqlite/migrations.ts'
import { repairSqlite } from '../../../src/log/sqlite/repair.ts'
import { eventually } from '../../support/eventually.ts'
import { session, temporaryDirectory, textEvent, usageEvent } from '../samples.ts'

const start = 100 * spendingStepMs

const open = async (directory: string): Promise<Log> => {
  const log = await openSqliteLog(directory)
  onTestFinished(() => log.close())
  return log
}

/** A log with some sessions, each of which costs 3 dollars in two steps. */
const createData = async (ids: readonly string[]): Promise<string> => {
  const directory = temporaryDirectory('spending')
  const log = await openSqliteLog(directory)
  for (const id of ids) {
    await log.sessions.create(session(id))
    await log.append(id, [
      textEvent(id, 1, 'the text "usage_update" is no usage'),
      usageEvent(id, 2, start, { opus: { input: 10, costUsd: 1 } }),
      usageEvent(id, 3, start + spendingStepMs, { opus: { input: 30, costUsd: 3 } }),
    ])
  }
  await log.close()
  return directory
}

const change = (directory: string, sql: string): void => {
  const database = new DatabaseSync(join(directory, 'sluice.db'))
  database.exec(sql)
  database.close()
}

/** Overwrites the first page of a table. */
const overwriteRoot = (directory: string, table: string): void => {
  const database = new DatabaseSync(join(directory, 'sluice.db'))
  const select = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?')
  const page = Number(select.get(table)?.rootpage)
  database.close()
  const file = openSync(join(directory, 'sluice.db'), 'r+')
  writeSync(file, Buffer.alloc(4096, 0xff), 0, 4096, (page - 1) * 4096)
  closeSync(file)
}

const stepsOf = async (log: Log): Promise<unknown[]> =>
  (await log.spending.list({ by: ['step'] })).map(({ step, sums }) => [step, sums.costUsd])

test('the sessions of an older version are added up once, in the background', async () => {
  const directory = await createData(['a', 'b', 'c'])
  change(directory, 'DELETE FROM spending; DELETE FROM spending_sessions')
  change(directory, 'INSERT INTO spending_unfilled SELECT number FROM sessions')
  const log = await open(directory)
  await eventually(async () => expect(await log.spending.unfilled()).toBe(0))
  expect(await stepsOf(log)).toEqual([
    [start, 3],
    [start + spendingStepMs, 6],
  ])
})

test('a session that is not yet added up can be used and removed', async () => {
  const directory = await createData(['a', 'b'])
  change(directory, 'DELETE FROM spending; DELETE FROM spending_sessions')
  change(directory, 'INSERT INTO spending_unfilled SELECT number FROM sessions')
  const log = await open(directory)
  const later = start + 2 * spendingStepMs
  await Promise.all([
    log.append('a', [usageEvent('a', 4, later, { opus: { input: 30, costUsd: 3.5 } })]),
    log.sessions.remove('b'),
  ])
  expect(await stepsOf(log)).toEqual([
    [start, 2],
    [start + spendingStepMs, 4],
    [later, 0.5],
  ])
})

test('wrong sums are found by a check, and made again by a repair', async () => {
  const directory = await createData(['a', 'b'])
  expect(checkSqlite(directory).findings).toEqual([])
  change(directory, 'UPDATE spending SET cost = cost + 5 WHERE session = 2 AND input = 10')
  expect(checkSqlite(directory).findings).toMatchObject([{ where: 'spending', id: 'b' }])
  repairSqlite(directory)
  const log = await open(directory)
  await eventually(async () => expect(await log.spending.unfilled()).toBe(0))
  expect(await log.spending.total()).toMatchObject({ costUsd: 6 })
  expect(checkSqlite(directory).findings).toEqual([])
})

test('sums in a damaged part of the file stop no session, and are made again', async () => {
  const directory = await createData(['a', 'b'])
  overwriteRoot(directory, 'spending')
  const log = await openSqliteLog(directory)
  await log.append('a', [usageEvent('a', 4, start, { opus: { input: 40, costUsd: 4 } })])
  expect(await log.head('a')).toBe(4)
  expect(log.damage.list()).toMatchObject([{ kind: 'table', id: 'spending' }])
  await log.close()

  expect(checkSqlite(directory).findings.length).toBeGreaterThan(0)
  repairSqlite(directory)
  const repaired = await open(directory)
  await eventually(async () => expect(await repaired.spending.unfilled()).toBe(0))
  expect(await repaired.spending.total()).toMatchObject({ costUsd: 7 })
})

test('a session of an older version whose events are damaged can be removed', async () => {
  const directory = await createData(['a', 'b'])
  change(directory, 'DELETE FROM spending; INSERT INTO spending_unfilled VALUES (1)')
  overwriteRoot(directory, 'events')
  const log = await open(directory)
  await log.sessions.remove('a')
  expect(await log.sessions.get('a')).toBeUndefined()
})

test('a database of the version before gets the sums of its events', async () => {
  const directory = temporaryDirectory('spending')
  const database = new DatabaseSync(join(directory, 'sluice.db'))
  const before = migrations.findIndex((step) => step.includes('CREATE TABLE spending ('))
  migrate(database, migrations.slice(0, before))
  database
    .prepare(`INSERT INTO sessions (id, agent, state, created_at, record) VALUES (?, ?, ?, ?, ?)`)
    .run('a', 'pi', 'idle', 1, JSON.stringify(session('a')))
  const event = usageEvent('a', 1, start, { opus: { input: 10, costUsd: 3 } })
  database
    .prepare('INSERT INTO events (session, seq, text) VALUES (1, 1, ?)')
    .run(JSON.stringify(event))
  database.close()
  const log = await open(directory)
  await eventually(async () => expect(await log.spending.unfilled()).toBe(0))
  expect(await stepsOf(log)).toEqual([[start, 3]])
})
