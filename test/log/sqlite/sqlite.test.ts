import { createHook } from 'node:async_hooks'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openSqliteLog } from '../../../src/log/index.ts'
import { logContract } from '../contract.ts'
import { all, events, seqs, session, temporaryDirectory, textEvent } from '../samples.ts'

logContract('sqlite', (directory) => openSqliteLog(directory))
logContract('sqlite with frequent checkpoints', (directory) =>
  openSqliteLog(directory, { synchronous: 'NORMAL', checkpointPages: 8 }),
)

test('everything is still there when the log is opened again', async () => {
  const directory = temporaryDirectory('sqlite')
  const log = await openSqliteLog(directory)
  await log.sessions.create(session('a'))
  await log.append('a', events('a', 1, 5))
  const { hash } = await log.blobs.put('a', Buffer.from('bytes'))
  await log.close()
  const again = await openSqliteLog(directory)
  expect(await again.sessions.list()).toEqual([session('a')])
  expect(await all(again.read('a', 0))).toEqual(events('a', 1, 5))
  expect(await again.blobs.get(hash)).toEqual({ bytes: new Uint8Array(Buffer.from('bytes')) })
  await expect(again.append('a', events('a', 5, 1))).rejects.toMatchObject({ code: 'repeat' })
  await again.append('a', events('a', 6, 1))
  await again.close()
})

test('a page has at most one large event', async () => {
  const log = await openSqliteLog(temporaryDirectory('sqlite'))
  await log.sessions.create(session('a'))
  const large = 'x'.repeat(100_000)
  const isLarge = (seq: number) => seq % 3 === 0
  const stored = events('a', 1, 90).map((event) =>
    isLarge(event.seq) ? textEvent('a', event.seq, large) : event,
  )
  await log.append('a', stored)
  const pages = await all(log.readText('a', 0))
  for (const { texts } of pages)
    expect(texts.filter((text) => text.length > large.length).length).toBeLessThanOrEqual(1)
  expect(pages.flatMap(({ texts }) => texts)).toEqual(stored.map((event) => JSON.stringify(event)))
  await log.close()
})

test.each([
  ['FULL', [0, 5]],
  ['NORMAL', []],
] as const)('%s: readers see no event that is not on the disk yet', async (synchronous, heads) => {
  const log = await openSqliteLog(temporaryDirectory('sqlite'), { synchronous })
  await log.sessions.create(session('a'))
  const seen: Promise<number>[] = []
  // Each flush creates an asynchronous file system request in this process.
  const watch = createHook({
    init: (_id, type) => void (type === 'FSREQCALLBACK' && seen.push(log.head('a'))),
  }).enable()
  await log.append('a', events('a', 1, 5))
  await log.append('a', events('a', 6, 5))
  watch.disable()
  expect(await Promise.all(seen)).toEqual(heads)
  expect(await log.head('a')).toBe(10)
  await log.close()
})

test('the WAL stays small while events come without a pause', async () => {
  const directory = temporaryDirectory('sqlite')
  const log = await openSqliteLog(directory, { synchronous: 'NORMAL', checkpointPages: 100 })
  await log.sessions.create(session('a'))
  const text = 'x'.repeat(2000)
  const bytes = 32 * 1024 * 1024
  let seq = 0
  while (seq * text.length < bytes) {
    const batch = Array.from({ length: 16 }, (_, index) => textEvent('a', seq + 1 + index, text))
    await log.append('a', batch)
    seq += batch.length
  }
  expect(statSync(join(directory, 'sluice.db-wal')).size).toBeLessThan(bytes / 2)
  await log.close()
})

test('a removal that a crash interrupted is finished when the log is opened again', async () => {
  const directory = temporaryDirectory('sqlite')
  const log = await openSqliteLog(directory)
  for (const id of ['a', 'b']) {
    await log.sessions.create(session(id))
    await log.append(id, events(id, 1, 1000))
  }
  await log.close()
  const file = join(directory, 'sluice.db')
  const database = new DatabaseSync(file)
  database.exec('INSERT INTO purges VALUES (1); DELETE FROM sessions WHERE number = 1')
  database.close()
  const again = await openSqliteLog(directory)
  // A session with the same id does not get the old events back.
  await again.sessions.create(session('a'))
  expect(await seqs(again, 'a')).toEqual([])
  while (countRows(file, 'purges') > 0)
    await again.append('b', events('b', (await again.head('b')) + 1, 1))
  expect(countRows(file, 'events')).toBe(await again.head('b'))
  await again.close()
})

/** Counts the rows of a table while the log is open. */
const countRows = (file: string, table: string): number => {
  const database = new DatabaseSync(file, { readOnly: true })
  const found = database.prepare(`SELECT count(*) AS n FROM ${table}`).get()
  database.close()
  return Number(found?.n)
}
