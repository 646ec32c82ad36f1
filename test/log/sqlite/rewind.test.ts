import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Log, openSqliteLog, spendingStepMs } from '../../../src/log/index.ts'
import { backUpSqlite } from '../../../src/log/sqlite/backup.ts'
import { checkSqlite } from '../../../src/log/sqlite/check.ts'
import { restoreSqlite } from '../../../src/log/sqlite/restore.ts'
import { eventually } from '../../support/eventually.ts'
import {
  approval,
  auditEntry,
  command,
  loop,
  row,
  seqs,
  session,
  temporaryDirectory,
  textEvent,
  usageEvent,
} from '../samples.ts'

const start = 1000 * spendingStepMs
const moment = start + spendingStepMs
const later = moment + spendingStepMs
const state = { period: 1, counters: {}, processes: 2, reports: 1, compactions: 0, models: {} }

const openLog = async (directory: string): Promise<Log> => {
  const log = await openSqliteLog(directory, { synchronous: 'NORMAL' })
  onTestFinished(() => log.close())
  return log
}

/** `a` goes on after the moment, `b` was deleted then, and `c` was created then. */
const fill = async (log: Log): Promise<void> => {
  const times = { createdAt: start, updatedAt: later, lastActivity: later }
  await log.sessions.create(session('a', { ...times, state: 'running', pid: 1, pidStartedAt: 1 }))
  await log.sessions.create(session('b', { ...times, removedAt: later }))
  await log.sessions.create(session('c', { createdAt: later }))
  const { hash } = await log.blobs.put('a', Buffer.from('early'))
  await log.append('a', [
    { ...textEvent('a', 1, hash), timestamp: start },
    usageEvent('a', 2, moment, { opus: { input: 10, costUsd: 1 } }),
    { ...textEvent('a', 3, 'late'), timestamp: moment + 1 },
    usageEvent('a', 4, later, { opus: { input: 30, costUsd: 3 } }),
  ])
  await log.blobs.put('a', Buffer.from('late'))
  await log.append('b', [{ ...textEvent('b', 1, 'x'), timestamp: start }])
  await log.append('c', [usageEvent('c', 1, later, { opus: { costUsd: 7 } })])
  await log.blobs.put('c', Buffer.from('of c'))
  await log.ledger.put('a', [row('a', 'm1', 5)], { seq: 4, state })
  await log.snapshots.put('a', 4, '{}')
  const answered = { createdAt: start, status: 'answered', action: 'allow', by: 'me' } as const
  await log.approvals.put(approval('early', 'a', { ...answered, resolvedAt: later }))
  await log.approvals.put(approval('done', 'a', { ...answered, resolvedAt: start }))
  await log.approvals.put(approval('late', 'a', { createdAt: later }))
  await log.commands.add(command('late', 'a', { createdAt: later }))
  await log.loops.put(loop('waits', { createdAt: start, state: 'waiting', nextAt: later }))
  await log.loops.put(loop('ended', { createdAt: start, state: 'done' }))
  await log.loops.put(loop('later', { createdAt: later }))
  await log.audit.append(auditEntry({ sessionId: 'c' }))
}

const backUp = async (): Promise<string> => {
  const data = temporaryDirectory('rewind-data')
  await fill(await openLog(data))
  const file = join(temporaryDirectory('rewind-backup'), 'copy.db')
  await backUpSqlite({ data, file, force: false, version: '1', now: later + 5 })
  return file
}

test('a restore to a moment has the sessions and events of then, and nothing later', async () => {
  const data = join(temporaryDirectory('rewind'), 'data')
  const options = { data, file: await backUp(), force: false, now: later + 9, at: moment }
  expect(await restoreSqlite(options)).toEqual({
    ...{ sessions: 2, events: 3, backedUpAt: later + 5 },
    leftOut: { sessions: 1, events: 3 },
  })
  expect(checkSqlite(data).findings).toEqual([])
  const log = await openLog(data)
  expect(await seqs(log, 'a')).toEqual([1, 2])
  expect(await log.sessions.list()).toEqual([
    session('b', { createdAt: start, updatedAt: moment, lastActivity: moment }),
    session('a', { createdAt: start, updatedAt: moment, lastActivity: moment }),
  ])
  expect(await log.ledger.checkpoint('a')).toBeUndefined()
  expect(await log.snapshots.get('a')).toBeUndefined()
  expect(await log.commands.list('a')).toEqual([])
  expect(await log.approvals.list()).toMatchObject([
    { approvalId: 'done', status: 'answered', action: 'allow' },
    approval('early', 'a', { createdAt: start }),
  ])
  expect(await log.loops.list()).toEqual([
    loop('waits', { createdAt: start, state: 'paused', pauseReason: expect.any(String) }),
    loop('ended', { createdAt: start, state: 'done' }),
  ])
  expect(await log.audit.list()).toHaveLength(1)
  // The sums and the blobs follow the events.
  await eventually(async () => expect(await log.spending.total()).toMatchObject({ costUsd: 1 }))
  await eventually(async () =>
    expect(await log.blobs.bytesOf('a')).toBe(Buffer.byteLength('early')),
  )
  await log.append('a', [usageEvent('a', 3, later, { opus: { input: 30, costUsd: 2 } })])
  expect(await log.spending.total()).toMatchObject({ costUsd: 2 })
})

test('a moment after the backup is refused, and nothing is changed', async () => {
  const data = join(temporaryDirectory('rewind'), 'data')
  const options = { data, file: await backUp(), force: false, now: later + 9, at: later + 6 }
  await expect(restoreSqlite(options)).rejects.toThrow(/Use a later backup/)
  expect(await (await openLog(data)).sessions.list()).toEqual([])
})
