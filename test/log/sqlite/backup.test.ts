import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { type Log, openSqliteLog } from '../../../src/log/index.ts'
import { type BackupOptions, backUpSqlite } from '../../../src/log/sqlite/backup.ts'
import { migrations } from '../../../src/log/sqlite/migrations.ts'
import { type RestoreOptions, restoreSqlite } from '../../../src/log/sqlite/restore.ts'
import { events, seqs, session, temporaryDirectory } from '../samples.ts'

const openLog = async (directory: string): Promise<Log> => {
  const log = await openSqliteLog(directory, { synchronous: 'NORMAL' })
  onTestFinished(() => log.close())
  return log
}

/** A data directory with a log, and one for its backup. */
const openDirectories = async () => {
  const data = temporaryDirectory('backup-data')
  const target = temporaryDirectory('backup')
  const log = await openLog(data)
  await log.sessions.create(session('a'))
  await log.append('a', events('a', 1, 2000))
  await log.blobs.put('a', Buffer.from('blob'))
  const file = join(target, 'copy.db')
  const backUp = (more: Partial<BackupOptions> = {}) =>
    backUpSqlite({ data, file, force: false, version: '1', now: 1234, ...more })
  return { data, target, log, file, backUp }
}

const restoreInto = (data: string, file: string, more: Partial<RestoreOptions> = {}) =>
  restoreSqlite({ data, file, force: false, now: 5678, ...more })

const emptyData = () => join(temporaryDirectory('restore'), 'data')

test('a backup of a log that is being written is consistent, and can be restored', async () => {
  const { log, file, target, backUp } = await openDirectories()
  let isWriting = true
  const write = async () => {
    for (let head = 2000; isWriting; head += 20) await log.append('a', events('a', head + 1, 20))
  }
  const writing = write()
  const content = await backUp()
  const headAfter = await log.head('a')
  isWriting = false
  await writing
  expect(content).toMatchObject({ sessions: 1, blobs: 1, bytes: statSync(file).size })
  expect(content.events).toBeGreaterThanOrEqual(2000)
  expect(content.events).toBeLessThanOrEqual(headAfter)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(target)).toEqual(['copy.db'])

  const data = emptyData()
  expect(await restoreInto(data, file)).toEqual({
    ...{ sessions: 1, events: content.events, backedUpAt: 1234 },
  })
  const restored = await openLog(data)
  expect(await seqs(restored, 'a')).toEqual(
    Array.from({ length: content.events }, (_, index) => index + 1),
  )
  expect(statSync(data).mode & 0o777).toBe(0o700)
  expect(statSync(join(data, 'sluice.db')).mode & 0o777).toBe(0o600)
  const database = new DatabaseSync(join(data, 'sluice.db'))
  const names = database.prepare('SELECT name FROM sqlite_schema').all()
  database.close()
  expect(JSON.stringify(names)).not.toContain('backup_')
})

test('the rules that people stored are in the backup', async () => {
  const { data, file, backUp } = await openDirectories()
  writeFileSync(join(data, 'policies.json'), '{"rules":1}')
  await backUp()
  const restored = emptyData()
  await restoreInto(restored, file)
  expect(readFileSync(join(restored, 'policies.json'), 'utf8')).toBe('{"rules":1}')
  expect(statSync(join(restored, 'policies.json')).mode & 0o777).toBe(0o600)
})

test('a backup replaces nothing that it should not replace', async () => {
  const { data, target, file, backUp } = await openDirectories()
  writeFileSync(file, 'precious')
  await expect(backUp()).rejects.toThrow(/exists.*--force/)
  expect(readFileSync(file, 'utf8')).toBe('precious')
  const own = join(data, 'sluice.db')
  await expect(backUp({ file: own, force: true })).rejects.toThrow(/belongs to the data directory/)
  mkdirSync(join(target, 'folder'))
  await expect(backUp({ file: join(target, 'folder'), force: true })).rejects.toThrow(/directory/)
  await expect(backUp({ file: join(target, 'no', 'x.db') })).rejects.toThrow(/does not exist/)
  await expect(backUp({ data: emptyData(), force: true })).rejects.toThrow(/There is no log/)
  expect((await backUp({ force: true })).events).toBe(2000)
  expect(readdirSync(target).sort()).toEqual(['copy.db', 'folder'])
})

/** Destroys some pages in the middle of a database. */
const damage = (file: string) => {
  const bytes = readFileSync(file)
  bytes.fill(0xa5, 20 * 4096, 24 * 4096)
  writeFileSync(file, bytes)
}

test('a damaged log is not copied, and leaves no file behind', async () => {
  const { data, target, log, backUp } = await openDirectories()
  await log.close()
  damage(join(data, 'sluice.db'))
  await expect(backUp()).rejects.toMatchObject({ code: 'backup_failed' })
  expect(readdirSync(target)).toEqual([])
})

test('a file that is no sound backup is refused, and nothing is changed', async () => {
  const { target, file, backUp } = await openDirectories()
  await backUp()
  const text = join(target, 'text')
  writeFileSync(text, 'hello')
  const other = join(target, 'other.db')
  const database = new DatabaseSync(other)
  database.exec('CREATE TABLE sessions (x); PRAGMA user_version = 1')
  database.close()
  const newer = join(target, 'newer.db')
  copyFileSync(file, newer)
  const changed = new DatabaseSync(newer)
  changed.exec(`PRAGMA user_version = ${migrations.length + 1}`)
  changed.close()
  const damaged = join(target, 'damaged.db')
  copyFileSync(file, damaged)
  damage(damaged)
  const short = join(target, 'short.db')
  writeFileSync(short, readFileSync(file).subarray(0, 30_000))

  const data = emptyData()
  mkdirSync(data, { mode: 0o700 })
  await expect(restoreInto(data, join(target, 'missing'))).rejects.toThrow(/is not a file/)
  await expect(restoreInto(data, text)).rejects.toThrow(/it is not a database/)
  await expect(restoreInto(data, other)).rejects.toThrow(/not a backup of Sluice/)
  await expect(restoreInto(data, newer)).rejects.toThrow(/newer Sluice/)
  await expect(restoreInto(data, damaged)).rejects.toThrow(/is damaged/)
  await expect(restoreInto(data, short)).rejects.toThrow(/is damaged/)
  expect(readdirSync(data).filter((name) => name !== 'sluice.lock')).toEqual([])
})

test('a log that is there is kept, also when it is replaced', async () => {
  const { data, log, file, backUp } = await openDirectories()
  await backUp()
  await log.append('a', events('a', 2001, 5))
  mkdirSync(join(data, 'turns'))
  writeFileSync(join(data, 'policies.json'), '{}')
  await expect(restoreInto(data, file, { force: true })).rejects.toThrow(/in use.*Stop it/)
  await log.close()
  await expect(restoreInto(data, file)).rejects.toThrow(/already has a log.*--force/)
  const { previous } = await restoreInto(data, file, { force: true })
  const restored = await openLog(data)
  expect(await restored.head('a')).toBe(2000)
  await restored.close()
  const names = readdirSync(data)
  const moved = ['turns', 'policies.json'].map((name) => `${name}.before-restore-`)
  for (const each of moved) expect(names.some((name) => name.startsWith(each))).toBe(true)
  const again = emptyData()
  await restoreInto(again, previous ?? '')
  expect(await (await openLog(again)).head('a')).toBe(2005)
})

test('what is still in the WAL of the replaced log is kept, too', async () => {
  const { data, log, file, backUp } = await openDirectories()
  await backUp()
  await log.append('a', events('a', 2001, 5))
  // As after a crash: the newest events are in the WAL only.
  const crashed = emptyData()
  mkdirSync(crashed, { mode: 0o700 })
  for (const name of ['sluice.db', 'sluice.db-wal'])
    copyFileSync(join(data, name), join(crashed, name))
  const { previous } = await restoreInto(crashed, file, { force: true })
  const restored = await openLog(crashed)
  expect(await restored.head('a')).toBe(2000)
  await restored.close()
  const again = emptyData()
  await restoreInto(again, previous ?? '')
  expect(await (await openLog(again)).head('a')).toBe(2005)
})
