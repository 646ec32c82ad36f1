import { emptyTotals } from '../../src/events/usage-sums.ts'
import { type Log, spendingStepMs } from '../../src/log/index.ts'
import {
  approval,
  auditEntry,
  command,
  events,
  key,
  loop,
  project,
  row,
  session,
  textEvent,
  usageEvent,
} from '../log/samples.ts'

const hash = (letter: string): string => letter.repeat(64)

/** Stores something of every kind that the contract of the log knows, in so many sessions. */
export const fillLog = async (log: Log, sessions: number): Promise<void> => {
  await log.projects.create(project('p1'))
  await log.projects.create(project('p0', { name: 'Another 🙂' }))
  await log.keys.create(key('k2', { name: 'revoked' }))
  await log.keys.create(key('k1', { expiresAt: 9, projects: ['p1'] }))
  await log.keys.revoke('k2', 77)
  await log.keys.touch('k1', 88)
  await fillRecords(log)
  for (let index = 0; index < 20; index += 1)
    await log.audit.append(auditEntry({ at: 1000 + index, actorId: `k${index}` }))
  // The first one is removed: what it has used stays, and its id is used again.
  const usage = { ...emptyTotals(), input: 5, costUsd: 0.1 }
  await log.sessions.create(session('s0', { projectId: 'p1' }))
  await log.append('s0', [usageEvent('s0', 1, spendingStepMs, { m: { input: 5, costUsd: 0.1 } })])
  await log.sessions.remove('s0', usage)
  for (let index = 0; index < sessions; index += 1) await fillSession(log, index)
}

const fillRecords = async (log: Log): Promise<void> => {
  await log.settings.put({ id: 'retention', value: '1 2' })
  await log.trust.put({ id: '/z', hash: hash('a'), isTrusted: true, by: 'me', at: 1 })
  await log.loops.put(loop('l2'))
  await log.loops.put(loop('l1', { state: 'paused' }))
  await log.budgets.put({
    ...{ id: 'day', scope: 'day', limits: { costUsd: 5 }, onExceeded: 'ask', createdAt: 1 },
  })
  await log.browsers.put({
    ...{ id: 'b', name: 'Firefox', scopes: ['read'], secret: hash('b'), page: hash('c') },
    ...{ rotatedAt: 1, used: [], createdAt: 1, lastUsedAt: 2, expiresAt: 3 },
  })
  await log.passkeys.put({
    ...{ id: 'p', name: 'Phone', publicKey: 'AAAA', counter: 1, host: 'localhost' },
    ...{ createdAt: 1, createdBy: 'Firefox' },
  })
}

const fillSession = async (log: Log, index: number): Promise<void> => {
  const id = `s${index}`
  await log.sessions.create(
    session(id, { name: `Session ${index}`, createdAt: 5000 - index, projectId: 'p1' }),
  )
  const blob = await log.blobs.put(id, Buffer.from(`blob of ${index % 3}`), 'text/plain')
  await log.append(id, events(id, 1, 40))
  await log.append(id, [
    { ...textEvent(id, 41, `naïve 🙂 ${blob.hash} ${'x'.repeat(index % 7 === 0 ? 300_000 : 9)}`) },
    usageEvent(id, 42, index * spendingStepMs, { m: { input: index, costUsd: 0.1 * index } }),
  ])
  await log.approvals.put(approval(`a${index}`, id))
  await log.approvals.put(approval(`b${index}`, id, { status: 'answered', resolvedAt: 9 }))
  const receipt = (letter: string) => ({
    key: `${letter}${index}`.padStart(64, '0'),
    hash: hash('0'),
  })
  await log.commands.add(command(`c${index}`, id, { receipt: receipt('a'), seq: 1 }))
  await log.commands.close([`c${index}`], 'accepted')
  await log.commands.add(command(`d${index}`, id, { state: 'queued', receipt: receipt('b') }))
  const state = { period: 1, counters: {}, processes: 2, reports: 1, compactions: 0, models: {} }
  await log.ledger.put(id, [row(id, 'z', 1), row(id, 'y', 2)], { seq: 42, state })
  await log.snapshots.put(id, 42, '{"snapshot":true}')
  if (index % 5 === 0) await log.sessions.update(id, { removedAt: 7 })
}
