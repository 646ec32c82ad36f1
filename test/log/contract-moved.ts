import { expect, test } from 'vitest'
import { emptyTotals } from '../../src/events/usage-sums.ts'
import { type Log, spendingStepMs } from '../../src/log/index.ts'
import { all, command, events, session, usageEvent } from './samples.ts'

/** What every log promises to a move into another log. */
export const movedContract = (openLog: () => Promise<Log>): void => {
  test('receipts of closed commands are listed, and count like those of its own', async () => {
    const [from, to] = [await openLog(), await openLog()]
    for (const log of [from, to]) await log.sessions.create(session('a'))
    const receipt = { key: 'a'.repeat(64), hash: '0'.repeat(64) }
    await from.commands.add(command('c1', 'a', { receipt, seq: 3 }))
    await from.commands.add(command('c2', 'a', { receipt: { ...receipt, key: 'b'.repeat(64) } }))
    await from.commands.close(['c1'], 'accepted')
    const moved = await from.moved.receipts('a')
    expect(moved).toEqual([
      { ...receipt, sessionId: 'a', seq: 3, state: 'accepted', createdAt: 1000 },
    ])
    for (let times = 0; times < 2; times += 1) await to.moved.putReceipts('a', moved)
    expect(await to.moved.receipts('a')).toEqual(moved)
    expect(await to.commands.receipt(receipt.key)).toEqual(await from.commands.receipt(receipt.key))
    await expect(to.commands.add(command('c3', 'a', { receipt }))).rejects.toMatchObject({
      code: 'command_exists',
    })
    await to.commands.prune(2000, 0)
    expect(await to.commands.receipt(receipt.key)).toBeUndefined()
    await expect(to.moved.putReceipts('no', moved)).rejects.toMatchObject({
      code: 'unknown_session',
    })
  })

  test('the blobs of a session are listed by hash', async () => {
    const log = await openLog()
    await log.sessions.create(session('a'))
    const hashes = []
    for (const text of ['one', 'two'])
      hashes.push((await log.blobs.put('a', Buffer.from(text))).hash)
    expect((await log.moved.blobsOf('a')).sort()).toEqual(hashes.sort())
    expect(await log.moved.blobsOf('b')).toEqual([])
  })

  test('what removed sessions have used can be stored in another log, also twice', async () => {
    const [from, to] = [await openLog(), await openLog()]
    const usage = { ...emptyTotals(), input: 7, output: 3, costUsd: 0.5 }
    for (const projectId of ['p', undefined]) {
      await from.sessions.create(session('a', { ...(projectId !== undefined && { projectId }) }))
      await from.append('a', [
        ...events('a', 1, 1),
        usageEvent('a', 2, 3 * spendingStepMs, { m: { input: 7, costUsd: 0.5 } }),
      ])
      await from.sessions.remove('a', usage)
    }
    const removed = await from.moved.removedSpending()
    expect(removed).toHaveLength(2)
    expect(removed[0]).toMatchObject({ sessionId: 'a', rows: [{ model: 'm', input: 7 }] })
    for (let times = 0; times < 2; times += 1) {
      await to.moved.putRemovedSpending(removed)
      for (const each of await from.ledger.deletedUsage()) await to.moved.putDeletedUsage(each)
    }
    expect(await to.spending.total()).toEqual(await from.spending.total())
    expect(await to.spending.list({ by: ['step', 'project', 'agent', 'model'] })).toEqual(
      await from.spending.list({ by: ['step', 'project', 'agent', 'model'] }),
    )
    expect(await to.moved.removedSpending()).toEqual(removed)
    expect((await to.ledger.deletedUsage()).sort(byProject)).toEqual(
      (await from.ledger.deletedUsage()).sort(byProject),
    )
    // A session of its own has sums of its own.
    await to.sessions.create(session('a'))
    await to.append('a', [usageEvent('a', 1, 3 * spendingStepMs, { m: { input: 1 } })])
    expect(await to.spending.total()).toMatchObject({ input: 15 })
    expect(await all(to.read('a', 0))).toHaveLength(1)
  })
}

const byProject = (left: { projectId?: string }, right: { projectId?: string }): number =>
  (left.projectId ?? '') < (right.projectId ?? '') ? -1 : 1
