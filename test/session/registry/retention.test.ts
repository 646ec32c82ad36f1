import { expect, onTestFinished, test } from 'vitest'
import { type Log, openSqliteLog } from '../../../src/log/index.ts'
import { openSessions } from '../../../src/session/registry/open-sessions.ts'
import { createRetention, type KeepLimits } from '../../../src/session/registry/retention.ts'
import type { SessionLifecycleEvent } from '../../../src/session/registry/sessions.ts'
import { approval, events, session, temporaryDirectory, textEvent } from '../../log/samples.ts'

const day = 24 * 60 * 60 * 1000
const today = Date.UTC(2026, 10, 16)

/** Retention over a log with sessions of some ages, in days. */
const open = async (keep: KeepLimits, daysAgo: Record<string, number> = {}) => {
  const log = await openSqliteLog(temporaryDirectory('retention'), { synchronous: 'NORMAL' })
  let now = today
  let monotonic = 0
  const published: SessionLifecycleEvent[] = []
  for (const [id, days] of Object.entries(daysAgo)) {
    const updatedAt = today - days * day
    // All were created long ago: only the last activity counts.
    await log.sessions.create(session(id, { createdAt: today - 1000 * day, updatedAt }))
    await log.append(id, events(id, 1, 10))
  }
  const sessions = await openSessions({
    log,
    now: () => now,
    onSession: (event) => published.push(event),
  })
  const deletedElsewhere: string[] = []
  const errors: unknown[] = []
  const retention = createRetention({
    keep,
    log,
    sessions,
    onDeleted: async (id) => void deletedElsewhere.push(id),
    onError: (cause) => errors.push(cause),
    now: () => now,
    monotonic: () => monotonic,
  })
  onTestFinished(async () => {
    await retention.close()
    await sessions.close()
    await log.close()
  })
  return {
    ...{ log, sessions, retention, published, deletedElsewhere, errors },
    pass(ms: number) {
      now += ms
      monotonic += ms
    },
    setClock(ms: number) {
      now += ms
    },
  }
}

const idsIn = async (log: Log): Promise<string[]> =>
  (await log.sessions.list({ includeRemoved: true })).map(({ id }) => id).sort()

test('sessions that were not used for long are deleted, with all that belongs to them', async () => {
  const { log, retention, published, deletedElsewhere } = await open(
    { ageMs: 90 * day },
    { old: 91, older: 400, young: 89 },
  )
  await log.blobs.put('old', Buffer.from('blob'))
  await retention.run()
  expect(await idsIn(log)).toEqual(['young'])
  expect(await log.head('old')).toBe(0)
  expect(published).toEqual([
    { type: 'session_removed', sessionId: 'older' },
    { type: 'session_removed', sessionId: 'old' },
  ])
  expect(deletedElsewhere).toEqual(['older', 'old'])
  expect(retention.status()).toMatchObject({ deleted: 2, lastRunAt: today })
  const audit = await log.audit.list({ action: 'session_deleted' })
  expect(audit.map(({ by, sessionId, detail }) => [by, sessionId, detail])).toEqual([
    ['retention', 'old', 'not used for 90 days'],
    ['retention', 'older', 'not used for 90 days'],
  ])
})

test('sessions that are pinned, running or waiting stay', async () => {
  const { log, retention } = await open(
    { ageMs: 90 * day },
    { pinned: 400, asking: 400, queued: 400, running: 400, other: 400 },
  )
  await log.sessions.update('pinned', { pinned: true })
  await log.sessions.update('running', { state: 'running' })
  await log.approvals.put(approval('x', 'asking'))
  await log.commands.add({
    ...{ id: 'c', sessionId: 'queued', kind: 'follow_up', text: 'Later', state: 'queued' },
    ...{ seq: 10, createdAt: 1 },
  })
  await retention.run()
  expect(await idsIn(log)).toEqual(['asking', 'pinned', 'queued', 'running'])
})

test('a clock that jumps a year ahead deletes nothing', async () => {
  const { log, retention, setClock, pass, errors } = await open(
    { ageMs: 90 * day },
    { a: 1, b: 30 },
  )
  await retention.run()
  setClock(365 * day)
  await retention.run()
  await retention.run()
  expect(await idsIn(log)).toEqual(['a', 'b'])
  expect(errors).toMatchObject([{ code: 'clock_jumped' }])
  pass(day)
  await retention.run() // a day later the clock counts as right
  expect(await idsIn(log)).toEqual([])
})

test('a session that was used since the start stays, whatever the clock says', async () => {
  const { log, retention, setClock, pass } = await open({ ageMs: 10 * day }, { used: 1, other: 5 })
  await retention.run()
  const record = await log.sessions.get('used')
  if (record) retention.onSession({ type: 'session_updated', session: record })
  setClock(6 * day) // too little to be noticed as a jump
  await retention.run()
  setClock(6 * day)
  await retention.run()
  expect(await idsIn(log)).toEqual(['used'])
  pass(10 * day)
  await retention.run()
  expect(await idsIn(log)).toEqual([])
})

/** Makes a session about a megabyte large. */
const fill = (log: Log, id: string) =>
  log.append(
    id,
    Array.from({ length: 10 }, (_, index) => textEvent(id, 11 + index, 'x'.repeat(1e5))),
  )

test('above the size, sessions go in the order of their last use, removed ones first', async () => {
  const { log, retention } = await open({ bytes: 2.6e6 }, { a: 1, b: 2, c: 3, d: 4, pinned: 9 })
  for (const id of ['a', 'b', 'c', 'd', 'pinned']) await fill(log, id)
  await log.sessions.update('pinned', { pinned: true })
  await log.sessions.update('b', { removedAt: today })
  await retention.run()
  expect(await idsIn(log)).toEqual(['a', 'pinned'])
  expect(retention.status()).toMatchObject({ deleted: 3, overBytes: 0 })
  expect((await log.space()).usedBytes).toBeLessThan(2.6e6)
})

test('when the rest is pinned, the limit is reported once', async () => {
  const { log, retention, errors } = await open({ bytes: 1.5e6 }, { a: 1, b: 2, c: 3 })
  for (const id of ['a', 'b', 'c']) {
    await fill(log, id)
    await log.sessions.update(id, { pinned: true })
  }
  await retention.run()
  await retention.run()
  expect(await idsIn(log)).toEqual(['a', 'b', 'c'])
  expect(errors).toMatchObject([{ code: 'keep_exceeded' }])
  expect(retention.status().overBytes).toBeGreaterThan(1e6)
  await log.sessions.update('a', { pinned: null })
  await log.sessions.update('b', { pinned: null })
  await retention.run()
  expect(await idsIn(log)).toEqual(['c'])
  expect(retention.status().overBytes).toBe(0)
})

test('both limits apply together', async () => {
  const { log, retention } = await open({ ageMs: 90 * day, bytes: 1.5e6 }, { a: 1, b: 2, old: 91 })
  for (const id of ['a', 'b']) await fill(log, id)
  await retention.run()
  expect(await idsIn(log)).toEqual(['a'])
})
