import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { LogFault } from '../../../src/log/index.ts'
import type { Database } from '../../../src/log/sqlite/database.ts'
import { createRecordSerializer } from '../../../src/log/sqlite/record-serializer.ts'
import { createWrites } from '../../../src/log/sqlite/writes.ts'

/** Writes into a real database, and what they told. */
const open = (flush?: () => Promise<void>) => {
  const database = new DatabaseSync(':memory:')
  onTestFinished(() => database.close())
  database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)')
  const told: string[] = []
  const narrow: Database = database
  const writes = createWrites(narrow, createRecordSerializer(), {
    onCommit: (bytes) => told.push(`commit ${bytes}`),
    onRollback: () => told.push('rollback'),
    flush,
  })
  const insert = database.prepare('INSERT INTO t (id, text) VALUES (?, ?)')
  const put = (id: number, bytes = 10) => writes.add(() => insert.run(id, 'x'.repeat(bytes)), bytes)
  const ids = () =>
    database
      .prepare('SELECT id FROM t ORDER BY id')
      .all()
      .map((row) => row.id)
  return { database, writes, told, put, ids }
}

test('writes of one turn share a transaction', async () => {
  const { told, put, ids } = open()
  await Promise.all([put(1), put(2), put(3)])
  await put(4)
  expect(told).toEqual(['commit 30', 'commit 10'])
  expect(ids()).toEqual([1, 2, 3, 4])
})

/** Two writes of one turn, the second of them a moment later. */
const inOneTurn = (put: (id: number) => Promise<unknown>): Promise<unknown> => {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  setImmediate(() => {
    const first = put(1)
    queueMicrotask(() => resolve(Promise.all([first, put(2)])))
  })
  return promise
}

test('the first of a turn are written at once, what comes later in it at its end', async () => {
  const { told, put, ids } = open()
  await inOneTurn(put)
  expect(told).toEqual(['commit 10', 'commit 10'])
  expect(ids()).toEqual([1, 2])
})

test('where the disk is waited for, all of a turn share a transaction', async () => {
  const { told, put } = open(async () => {})
  await inOneTurn(put)
  expect(told).toEqual(['commit 20'])
})

test('a flood is spread over several turns, in order', async () => {
  const { told, put, ids } = open()
  const order: number[] = []
  await Promise.all(
    [1, 2, 3, 4].map(async (id) => {
      await put(id, 100 * 1024)
      order.push(id)
    }),
  )
  expect(told).toEqual([`commit ${200 * 1024}`, `commit ${200 * 1024}`])
  expect(order).toEqual([1, 2, 3, 4])
  expect(ids()).toEqual([1, 2, 3, 4])
})

test('a write that is refused leaves the transaction of its neighbours alone', async () => {
  const { writes, told, put, ids } = open()
  const refused = writes.add(() => {
    throw new LogFault('gap', 'no')
  })
  const outcomes = await Promise.allSettled([put(1), refused, put(2)])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(told).toEqual(['commit 20'])
  expect(ids()).toEqual([1, 2])
})

test('a write that the database fails is undone alone, under a name', async () => {
  const { told, put, ids } = open()
  const failing = put(1)
  const outcomes = await Promise.allSettled([failing, put(1), put(2)])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(outcomes[1]).toMatchObject({ reason: { name: 'LogFault', code: 'write_failed' } })
  expect(told).toEqual(['rollback', 'commit 10', 'rollback', 'commit 10'])
  expect(ids()).toEqual([1, 2])
})

test('a full disk refuses, and what comes when there is room is stored', async () => {
  const { database, put, ids } = open()
  database.exec('PRAGMA max_page_count = 10')
  const outcomes = await Promise.allSettled([put(1, 100_000), put(2)])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(outcomes[0]).toMatchObject({ reason: { code: 'write_failed' } })
  database.exec('PRAGMA max_page_count = 1000')
  await put(3, 100_000)
  expect(ids()).toEqual([2, 3])
})

test('held writes wait, and the event loop does not', async () => {
  const { writes, told, put } = open()
  writes.hold()
  const waiting = put(1)
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(told).toEqual([])
  writes.release()
  await waiting
  expect(told).toEqual(['commit 10'])
})

test('close does what waits, held or not, and takes nothing more', async () => {
  const { writes, put, ids } = open()
  writes.hold()
  const waiting = put(1)
  await writes.close()
  await waiting
  expect(ids()).toEqual([1])
  await expect(put(2)).rejects.toMatchObject({ code: 'closed' })
})

test('the first write that checks a record waits for that, and those behind it wait with it', async () => {
  const { writes, put } = open()
  const done: number[] = []
  const note = (id: number) => () => void done.push(id)
  const first = put(1).then(note(1))
  const checked = writes.addRecord(note(2))
  const last = put(3).then(note(3))
  await Promise.all([first, checked, last])
  expect(done.indexOf(2)).toBeLessThan(done.indexOf(3))
})

test('what waits for its check is done when the log is closed', async () => {
  const { writes, put, ids } = open()
  let isChecked = false
  const checked = writes.addRecord(() => {
    isChecked = true
  })
  const other = put(1)
  await writes.close()
  await Promise.all([checked, other])
  expect(isChecked).toBe(true)
  expect(ids()).toEqual([1])
})

describe('a disk that takes its time', () => {
  /** One that is done when it is told so. */
  const slowDisk = () => {
    const flushes: PromiseWithResolvers<void>[] = []
    const opened = open(() => {
      const flush = Promise.withResolvers<void>()
      flushes.push(flush)
      return flush.promise
    })
    return {
      ...opened,
      flushes,
      begun: (count: number) =>
        vi.waitUntil(() => flushes[count - 1], { timeout: 30_000, interval: 1 }),
    }
  }

  test('nobody is told before it has what was written', async () => {
    const { writes, begun } = slowDisk()
    const order: string[] = []
    const written = writes
      .add(
        () => order.push('written'),
        0,
        () => order.push('durable'),
      )
      .then(() => order.push('told'))
    const flush = await begun(1)
    expect(order).toEqual(['written'])
    flush.resolve()
    await written
    expect(order).toEqual(['written', 'durable', 'told'])
  })

  test('what comes meanwhile shares one transaction behind it', async () => {
    const { told, put, flushes, begun } = slowDisk()
    const first = put(1)
    const flush = await begun(1)
    const rest = []
    for (const id of [2, 3, 4]) {
      rest.push(put(id))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(told).toEqual(['commit 10'])
    flush.resolve()
    await first
    const next = await begun(2)
    next.resolve()
    await Promise.all(rest)
    expect(told).toEqual(['commit 10', 'commit 30'])
    expect(flushes).toHaveLength(2)
  })

  test('one that fails has lost nobody knows what: nothing more is written', async () => {
    const { put, ids, begun } = slowDisk()
    const first = put(1)
    const flush = await begun(1)
    const second = put(2)
    flush.reject(new Error('I/O error'))
    const refused = {
      code: 'write_failed',
      message: expect.stringContaining('The disk could not store the log (I/O error).'),
    }
    for (const write of [first, second, put(3)]) await expect(write).rejects.toMatchObject(refused)
    expect(ids()).toEqual([1])
  })

  test('close waits for it, and does what waits behind it', async () => {
    const { writes, put, ids, begun } = slowDisk()
    const first = put(1)
    const flush = await begun(1)
    const second = put(2)
    const closed = writes.close()
    flush.resolve()
    await first
    const next = await begun(2)
    next.resolve()
    await Promise.all([second, closed])
    expect(ids()).toEqual([1, 2])
  })
})
