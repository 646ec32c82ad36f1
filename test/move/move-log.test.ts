import { expect, onTestFinished, test } from 'vitest'
import { type Log, openMemoryLog, openSqliteLog } from '../../src/log/index.ts'
import { moveLog } from '../../src/move/move-log.ts'
import { isHalfMoved } from '../../src/move/move-mark.ts'
import { events, session, temporaryDirectory } from '../log/samples.ts'
import { fillLog } from './fill-log.ts'

const open = async (): Promise<Log> => {
  const log = await openSqliteLog(temporaryDirectory('move'))
  onTestFinished(() => log.close())
  return log
}

const move = (from: Log, to: Log) =>
  moveLog({ from, to, names: { from: 'the source', to: 'the target' }, now: () => 5 })

test('everything is copied and compared, and a second run has nothing to do', async () => {
  const [from, to] = [await open(), await openMemoryLog()]
  await fillLog(from, 12)
  const { outcome, counts } = await move(from, to)
  expect(outcome).toBe('done')
  expect(counts).toMatchObject({
    ...{ sessions: 12, events: 12 * 42, blobs: 12, approvals: 24, commands: 24 },
    ...{ ledgerRows: 24, snapshots: 12, auditEntries: 20, records: 11 },
  })
  expect(await isHalfMoved(to)).toBe(false)
  expect(await move(from, to)).toEqual({ outcome: 'already_done', isContinued: false })
})

test('a target with data is refused, and so is a damaged source', async () => {
  const [from, to] = [await open(), await open()]
  await fillLog(from, 1)
  await to.sessions.create(session('own'))
  await expect(move(from, to)).rejects.toMatchObject({
    code: 'move_failed',
    message: expect.stringContaining('the target already has data'),
  })
  expect((await to.sessions.list()).map(({ id }) => id)).toEqual(['own'])
  await expect(move(await open(), await open())).rejects.toMatchObject({
    message: 'There is nothing to move in the source.',
  })
})

test('a move that stopped anywhere is continued', async () => {
  const [from, to] = [await open(), await open()]
  await fillLog(from, 6)
  for (const failing of ['approvals', 'ledger', 'snapshots'] as const) {
    const broken = {
      ...to,
      [failing]: { ...to[failing], put: () => Promise.reject(new Error('cut')) },
    }
    await expect(move(from, broken)).rejects.toThrow('cut')
    expect(await isHalfMoved(to)).toBe(true)
  }
  const other = await open()
  await fillLog(other, 1)
  await expect(move(other, to)).rejects.toMatchObject({
    message: expect.stringContaining('A move from the source into the target is not complete'),
  })
  expect(await move(from, to)).toMatchObject({ outcome: 'done', isContinued: true })
})

test('a difference is found, and names what differs', async () => {
  const [from, to] = [await open(), await open()]
  await fillLog(from, 2)
  const changed: Log = {
    ...to,
    append: (id, batch) =>
      to.append(
        id,
        batch.map((event) => (id === 's1' && event.seq === 7 ? { ...event, timestamp: 1 } : event)),
      ),
  }
  await expect(move(from, changed)).rejects.toMatchObject({
    message: expect.stringContaining('differ in the events of session s1'),
  })
  expect(await isHalfMoved(to)).toBe(true)
})

test('what the source has stored since then is found', async () => {
  const [from, to] = [await open(), await open()]
  await fillLog(from, 1)
  const growing: Log = {
    ...to,
    snapshots: {
      ...to.snapshots,
      async put(...snapshot) {
        await from.append('s0', events('s0', 43, 1))
        await to.snapshots.put(...snapshot)
      },
    },
  }
  await expect(move(from, growing)).rejects.toMatchObject({ code: 'move_failed' })
  expect(await move(from, to)).toMatchObject({ outcome: 'done', isContinued: true })
})
