import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { blobRefOf } from '../../../src/log/blobs/blob-ref.ts'
import { type Log, openSqliteLog } from '../../../src/log/index.ts'
import { compactSqlite } from '../../../src/log/sqlite/compact.ts'
import { migrate } from '../../../src/log/sqlite/migrations.ts'
import { eventually } from '../../support/eventually.ts'
import { run } from '../../support/sluice.ts'
import { session, temporaryDirectory, textEvent } from '../samples.ts'

const openLog = async (directory: string): Promise<Log> => {
  const log = await openSqliteLog(directory, { synchronous: 'NORMAL' })
  onTestFinished(() => log.close())
  return log
}
const fileOf = (directory: string): string => join(directory, 'sluice.db')
const sizeOf = (directory: string): number => statSync(fileOf(directory)).size
const withDatabase = <Result>(
  directory: string,
  use: (database: DatabaseSync) => Result,
): Result => {
  const database = new DatabaseSync(fileOf(directory))
  try {
    return use(database)
  } finally {
    database.close()
  }
}
const vacuumMode = (directory: string) =>
  withDatabase(directory, (database) => database.prepare('PRAGMA auto_vacuum').get()?.auto_vacuum)

/** Adds a session with some megabytes of events and blobs. */
const addLargeSession = async (log: Log, id: string): Promise<void> => {
  await log.sessions.create(session(id))
  for (let batch = 0; batch < 4; batch += 1) {
    const first = batch * 500 + 1
    await log.append(
      id,
      Array.from({ length: 500 }, (_, index) =>
        textEvent(id, first + index, `${id} ${'word '.repeat(index % 100 === 0 ? 8000 : 300)}`),
      ),
    )
    await log.blobs.put(id, Buffer.alloc(500_000, `${id}${batch}`))
  }
}

test('a removed session gives its space back to the disk while the log is open', async () => {
  const directory = temporaryDirectory('space')
  const log = await openLog(directory)
  await addLargeSession(log, 'stays')
  await addLargeSession(log, 'goes')
  const before = await log.space()
  expect(before.usedBytes).toBeGreaterThan(8_000_000)
  await log.sessions.remove('goes')
  await eventually(async () => {
    expect(await log.space()).toMatchObject({ freeBytes: 0, walBytes: 0 })
    expect(sizeOf(directory)).toBeLessThan(before.usedBytes * 0.55)
  })
  expect(await log.head('stays')).toBe(2000)
  withDatabase(directory, (database) =>
    expect(database.prepare('PRAGMA integrity_check').get()?.integrity_check).toBe('ok'),
  )
})

test('space is given back after a restart when the process died too early', async () => {
  const directory = temporaryDirectory('space')
  const log = await openLog(directory)
  await addLargeSession(log, 'goes')
  const removed = log.sessions.remove('goes')
  await log.close() // before any page is given back
  await removed
  const again = await openLog(directory)
  await eventually(async () => {
    const { freeBytes, databaseBytes } = await again.space()
    expect(freeBytes).toBe(0)
    expect(databaseBytes).toBeLessThan(1_000_000)
  })
})

test('a small database of an older version is rewritten when it is opened', async () => {
  const directory = temporaryDirectory('space')
  withDatabase(directory, (database) => migrate(database))
  expect(vacuumMode(directory)).toBe(0)
  const log = await openLog(directory)
  await addLargeSession(log, 'a')
  await log.close()
  expect(vacuumMode(directory)).toBe(2)
})

/** A database of an older version that is too large to be rewritten when it is opened. */
const makeLargeOldDatabase = (directory: string) =>
  withDatabase(directory, (database) => {
    migrate(database)
    database.exec(`
      INSERT INTO blobs (hash, bytes) VALUES ('large', zeroblob(40000000)), ('other', zeroblob(1000000));
      INSERT INTO blob_owners (hash, session) VALUES ('other', 1);
      DELETE FROM blobs WHERE hash = 'large'`)
  })

test('a large database of an older version is rewritten by compacting it only', async () => {
  const directory = temporaryDirectory('space')
  makeLargeOldDatabase(directory)
  const log = await openLog(directory)
  const { freeBytes } = await log.space()
  expect(freeBytes).toBeGreaterThan(39_000_000)
  expect(() => compactSqlite(directory)).toThrow(/in use by this process/)
  await log.close()
  expect(vacuumMode(directory)).toBe(0)
  const { before, after } = compactSqlite(directory)
  expect(before).toBeGreaterThan(40_000_000)
  expect(after).toBeLessThan(2_000_000)
  expect(sizeOf(directory)).toBe(after)
  expect(vacuumMode(directory)).toBe(2)
})

test('a directory without a log cannot be compacted, and stays empty', () => {
  const directory = temporaryDirectory('space')
  expect(() => compactSqlite(directory)).toThrow(/There is no log/)
})

const blobWriter = new URL('../blob-writer.ts', import.meta.url).pathname

test('a blob without its event is deleted when the log is opened after a crash', async () => {
  const directory = temporaryDirectory('space')
  await run(process.execPath, [blobWriter, directory])
  const log = await openLog(directory)
  const { hash } = blobRefOf(Buffer.from('left behind'))
  await eventually(async () => expect(await log.blobs.get(hash)).toBeUndefined())
  expect(await log.blobs.owners(hash)).toEqual([])
  const used = blobRefOf(Buffer.from('used')).hash
  expect((await log.blobs.get(used))?.bytes).toEqual(new Uint8Array(Buffer.from('used')))
  await eventually(() => {
    const rows = withDatabase(directory, (database) =>
      database.prepare('SELECT hash FROM blob_puts').all(),
    )
    expect(rows).toEqual([])
  })
})

test('a blob that is put again after a crash stays, although its event is not there yet', async () => {
  const directory = temporaryDirectory('space')
  await run(process.execPath, [blobWriter, directory])
  const log = await openLog(directory)
  const { hash } = await log.blobs.put('a', Buffer.from('left behind'))
  // Whatever the log does in the background is done before it is closed and opened again.
  await log.append('a', [textEvent('a', 2, `a reference to ${hash}`)])
  await log.close()
  for (let times = 0; times < 2; times += 1) {
    const again = await openLog(directory)
    await eventually(() => {
      const rows = withDatabase(directory, (database) =>
        database.prepare('SELECT hash FROM blob_puts').all(),
      )
      expect(rows).toEqual([])
    })
    expect(await again.blobs.get(hash)).toBeDefined()
    await again.close()
  }
})
