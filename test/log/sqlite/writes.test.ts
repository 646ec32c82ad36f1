import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { LogFault } from '../../../src/log/index.ts'
import type { Database } from '../../../src/log/sqlite/database.ts'
import { createRecordSerializer } from '../../../src/log/sqlite/record-serializer.ts'
import { createWrites } from '../../../src/log/sqlite/writes.ts'

/** Writes to a real database, and the calls of their hooks. */
const open = (flush?: () => Promise<void>) => {
  const database = new DatabaseSync(':memory:')
  onTestFinished(() => database.close())
  database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)')
  const hookCalls: string[] = []
  const narrow: Database = database
  const writes = createWrites(narrow, createRecordSerializer(), {
    onCommit: (bytes) => hookCalls.push(`commit ${bytes}`),
    onRollback: () => hookCalls.push('rollback'),
    flush,
  })
  const insert = database.prepare('INSERT INTO t (id, text) VALUES (?, ?)')
  const insertRow = (id: number, bytes = 10) =>
    writes.add(() => insert.run(id, 'x'.repeat(bytes)), bytes)
  const ids = () =>
    database
      .prepare('SELECT id FROM t ORDER BY id')
      .all()
      .map((row) => row.id)
  return { database, writes, hookCalls, insertRow, ids }
}

test('writes of one turn share a transaction', async () => {
  const { hookCalls, insertRow, ids } = open()
  await Promise.all([insertRow(1), insertRow(2), insertRow(3)])
  await insertRow(4)
  expect(hookCalls).toEqual(['commit 30', 'commit 10'])
  expect(ids()).toEqual([1, 2, 3, 4])
})

/** Two writes of one turn, the second one microtask later. */
const inOneTurn = (insertRow: (id: number) => Promise<unknown>): Promise<unknown> => {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  setImmediate(() => {
    const first = insertRow(1)
    queueMicrotask(() => resolve(Promise.all([first, insertRow(2)])))
  })
  return promise
}

test('the first writes of a turn run at once, later ones at the end of the turn', async () => {
  const { hookCalls, insertRow, ids } = open()
  await inOneTurn(insertRow)
  expect(hookCalls).toEqual(['commit 10', 'commit 10'])
  expect(ids()).toEqual([1, 2])
})

test('all writes of a turn share a transaction when each one waits for the disk', async () => {
  const { hookCalls, insertRow } = open(async () => {})
  await inOneTurn(insertRow)
  expect(hookCalls).toEqual(['commit 20'])
})

test('many writes are spread over several turns, in order', async () => {
  const { hookCalls, insertRow, ids } = open()
  const order: number[] = []
  await Promise.all(
    [1, 2, 3, 4].map(async (id) => {
      await insertRow(id, 100 * 1024)
      order.push(id)
    }),
  )
  expect(hookCalls).toEqual([`commit ${200 * 1024}`, `commit ${200 * 1024}`])
  expect(order).toEqual([1, 2, 3, 4])
  expect(ids()).toEqual([1, 2, 3, 4])
})

test('a write that throws a LogFault does not roll back the others', async () => {
  const { writes, hookCalls, insertRow, ids } = open()
  const rejected = writes.add(() => {
    throw new LogFault('gap', 'rejected')
  })
  const outcomes = await Promise.allSettled([insertRow(1), rejected, insertRow(2)])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(hookCalls).toEqual(['commit 20'])
  expect(ids()).toEqual([1, 2])
})

test('a write that fails in the database is rolled back alone, with its own code', async () => {
  const { hookCalls, insertRow, ids } = open()
  const failing = insertRow(1)
  const outcomes = await Promise.allSettled([failing, insertRow(1), insertRow(2)])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(outcomes[1]).toMatchObject({ reason: { name: 'LogFault', code: 'write_failed' } })
  expect(hookCalls).toEqual(['rollback', 'commit 10', 'rollback', 'commit 10'])
  expect(ids()).toEqual([1, 2])
})

test('a write fails while the disk is full, and later ones are stored', async () => {
  const { database, insertRow, ids } = open()
  database.exec('PRAGMA max_page_count = 10')
  const outcomes = await Promise.allSettled([insertRow(1, 100_000), insertRow(2)])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(outcomes[0]).toMatchObject({ reason: { code: 'disk_full' } })
  database.exec('PRAGMA max_page_count = 1000')
  await insertRow(3, 100_000)
  expect(ids()).toEqual([2, 3])
})

test('held writes wait, and the event loop does not', async () => {
  const { writes, hookCalls, insertRow } = open()
  writes.hold()
  const waiting = insertRow(1)
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(hookCalls).toEqual([])
  writes.release()
  await waiting
  expect(hookCalls).toEqual(['commit 10'])
})

test('close runs the queued writes, held or not, and rejects later ones', async () => {
  const { writes, insertRow, ids } = open()
  writes.hold()
  const waiting = insertRow(1)
  await writes.close()
  await waiting
  expect(ids()).toEqual([1])
  await expect(insertRow(2)).rejects.toMatchObject({ code: 'closed' })
})

test('a write that needs schemas waits for them, and later writes wait with it', async () => {
  const { writes, insertRow } = open()
  const done: number[] = []
  const push = (id: number) => () => void done.push(id)
  const first = insertRow(1).then(push(1))
  const checked = writes.addRecord(push(2))
  const last = insertRow(3).then(push(3))
  await Promise.all([first, checked, last])
  expect(done.indexOf(2)).toBeLessThan(done.indexOf(3))
})

test('close runs writes that still wait for schemas', async () => {
  const { writes, insertRow, ids } = open()
  let hasRun = false
  const checked = writes.addRecord(() => {
    hasRun = true
  })
  const other = insertRow(1)
  await writes.close()
  await Promise.all([checked, other])
  expect(hasRun).toBe(true)
  expect(ids()).toEqual([1])
})

describe('a slow disk', () => {
  /** Writes to a disk whose flushes the test finishes by hand. */
  const openSlow = () => {
    const flushes: PromiseWithResolvers<void>[] = []
    const opened = open(() => {
      const flush = Promise.withResolvers<void>()
      flushes.push(flush)
      return flush.promise
    })
    return {
      ...opened,
      flushes,
      flushNumber: (count: number) =>
        vi.waitUntil(() => flushes[count - 1], { timeout: 30_000, interval: 1 }),
    }
  }

  test('a write resolves only when it is flushed', async () => {
    const { writes, flushNumber } = openSlow()
    const order: string[] = []
    const written = writes
      .add(
        () => order.push('written'),
        0,
        () => order.push('durable'),
      )
      .then(() => order.push('resolved'))
    const flush = await flushNumber(1)
    expect(order).toEqual(['written'])
    flush.resolve()
    await written
    expect(order).toEqual(['written', 'durable', 'resolved'])
  })

  test('writes that come during a flush share the next transaction', async () => {
    const { hookCalls, insertRow, flushes, flushNumber } = openSlow()
    const first = insertRow(1)
    const flush = await flushNumber(1)
    const rest = []
    for (const id of [2, 3, 4]) {
      rest.push(insertRow(id))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(hookCalls).toEqual(['commit 10'])
    flush.resolve()
    await first
    const next = await flushNumber(2)
    next.resolve()
    await Promise.all(rest)
    expect(hookCalls).toEqual(['commit 10', 'commit 30'])
    expect(flushes).toHaveLength(2)
  })

  test('nothing more is written after a flush has failed', async () => {
    const { insertRow, ids, flushNumber } = openSlow()
    const first = insertRow(1)
    const flush = await flushNumber(1)
    const second = insertRow(2)
    flush.reject(new Error('I/O error'))
    const writeFailed = {
      code: 'log_failed',
      message: expect.stringContaining('The disk could not store the log (I/O error).'),
    }
    for (const write of [first, second, insertRow(3)])
      await expect(write).rejects.toMatchObject(writeFailed)
    expect(ids()).toEqual([1])
  })

  test('close waits for the flush, and runs the queued writes after it', async () => {
    const { writes, insertRow, ids, flushNumber } = openSlow()
    const first = insertRow(1)
    const flush = await flushNumber(1)
    const second = insertRow(2)
    const closed = writes.close()
    flush.resolve()
    await first
    const next = await flushNumber(2)
    next.resolve()
    await Promise.all([second, closed])
    expect(ids()).toEqual([1, 2])
  })
})
