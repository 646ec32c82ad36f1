import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { type Log, openSqliteLog } from '../../../src/log/index.ts'
import { openSqliteReader } from '../../../src/log/sqlite/sqlite-reader.ts'
import {
  all,
  approval,
  auditEntry,
  events,
  key,
  project,
  row,
  seqs,
  session,
  temporaryDirectory,
} from '../samples.ts'

/** Changes the database of a log that is not open, past all checks. */
const damage = (directory: string, ...statements: string[]): void => {
  const database = new DatabaseSync(join(directory, 'sluice.db'))
  database.enableDefensive(false)
  for (const sql of statements) database.exec(sql)
  database.close()
}

const open = async (directory: string): Promise<Log> => {
  const log = await openSqliteLog(directory)
  onTestFinished(() => log.close())
  return log
}

/** A log with the sessions `a`, `b` and `c`, each with ten events and one of everything. */
const createData = async (): Promise<string> => {
  const directory = temporaryDirectory('damage')
  const log = await openSqliteLog(directory)
  for (const id of ['a', 'b', 'c']) {
    await log.sessions.create(session(id, { creatorId: 'k' }))
    await log.append(id, events(id, 1, 10))
    await log.approvals.put(approval(`approval-${id}`, id))
    await log.ledger.put(id, [row(id, 'm1', 5), row(id, 'm2', 6)])
    await log.snapshots.put(id, 10, 'a snapshot')
    await log.blobs.put(id, Buffer.from(`blob of ${id}`))
    await log.keys.create(key(id))
    await log.projects.create(project(id))
    await log.settings.put({ id, value: 'on' })
    await log.audit.append(auditEntry({ sessionId: id }))
  }
  await log.close()
  return directory
}

const ofB = 'session = (SELECT number FROM sessions WHERE id = $b)'.replace('$b', "'b'")

test.each([
  ['a flipped byte', `UPDATE events SET text = replace(text, 'word 5', 'wird 5') WHERE ${ofB}`],
  ['no JSON', `UPDATE events SET text = 'garbage' WHERE ${ofB} AND seq = 5`],
  ['cut JSON', `UPDATE events SET text = substr(text, 1, 20) WHERE ${ofB} AND seq = 5`],
  ['another shape', `UPDATE events SET text = '{}' WHERE ${ofB} AND seq = 5`],
  [
    'bytes that are no UTF-8',
    `UPDATE events SET text = CAST(x'7b22ff' AS TEXT) WHERE ${ofB} AND seq = 5`,
  ],
  ['a wrong checksum', `UPDATE events SET checksum = 1 WHERE ${ofB} AND seq = 5`],
  [
    'an event of another session',
    `UPDATE events SET (text, checksum) = (SELECT text, checksum FROM events WHERE session = 1 AND seq = 5) WHERE ${ofB} AND seq = 5`,
  ],
  ['a missing event', `DELETE FROM events WHERE ${ofB} AND seq = 5`],
  [
    'an old event that is no JSON',
    `UPDATE events SET text = 'x', checksum = NULL WHERE ${ofB} AND seq = 5`,
  ],
])('%s ends one session before it, and no other', async (_, sql) => {
  const directory = await createData()
  damage(directory, sql)
  const log = await open(directory)
  const found: unknown[] = []
  log.damage.subscribe((each) => found.push(each))
  expect(await seqs(log, 'b')).toEqual([1, 2, 3, 4])
  expect(found).toMatchObject([{ kind: 'session', id: 'b', seq: 5 }])
  expect(await log.head('b')).toBe(4)
  expect(await log.sessions.get('b')).toMatchObject({ id: 'b', damage: { seq: 5 } })
  await expect(log.append('b', events('b', 11, 1))).rejects.toMatchObject({
    code: 'damaged',
    seq: 5,
  })
  expect(await seqs(log, 'a')).toHaveLength(10)
  await log.append('c', events('c', 11, 1))
  expect((await log.sessions.list()).map(({ id, damage: found }) => [id, found?.seq])).toEqual([
    ['c', undefined],
    ['b', 5],
    ['a', undefined],
  ])
  // A snapshot of later events is not shown, and not deleted.
  expect(await log.snapshots.get('b')).toBeUndefined()
  // The next start knows it without reading the events.
  await log.close()
  const again = await open(directory)
  expect(again.damage.list()).toMatchObject([{ kind: 'session', id: 'b', seq: 5 }])
  expect(await again.head('b')).toBe(4)
  // A damaged session can be deleted.
  await again.sessions.remove('b')
  expect(again.damage.list()).toEqual([])
  await again.sessions.create(session('b'))
  await again.append('b', events('b', 1, 1))
  expect(await seqs(again, 'b')).toEqual([1])
})

test.each([
  ['no JSON', `UPDATE sessions SET record = 'garbage' WHERE id = 'b'`],
  [
    'no time',
    `UPDATE sessions SET record = json_remove(record, '$.createdAt'), checksum = NULL WHERE id = 'b'`,
  ],
  ['another shape', `UPDATE sessions SET record = '[]' WHERE id = 'b'`],
  ['bytes that are no UTF-8', `UPDATE sessions SET record = CAST(x'ff' AS TEXT) WHERE id = 'b'`],
])('a session whose record has %s is listed, and lists end', async (_, sql) => {
  const directory = await createData()
  damage(directory, sql)
  const log = await open(directory)
  const listed: string[] = []
  for (let before: Awaited<ReturnType<Log['sessions']['get']>>; ; ) {
    const [next] = await log.sessions.list({ before, limit: 1, includeRemoved: true })
    if (!next) break
    listed.push(next.id)
    before = next
  }
  expect(listed).toEqual(['c', 'b', 'a'])
  expect(await log.sessions.countOf('k')).toBeGreaterThanOrEqual(2)
  expect(await seqs(log, 'b')).toHaveLength(10)
  expect(await log.sessions.get('b')).toMatchObject({ agent: 'pi', createdAt: 1000, cwd: '' })
  expect((await log.sessions.get('b'))?.damage?.reason).toContain('record')
  await expect(log.append('b', events('b', 11, 1))).rejects.toMatchObject({ code: 'damaged' })
  // Marking it as removed writes a new record. It stays damaged.
  await log.sessions.update('b', { removedAt: 5 })
  await log.close()
  const again = await open(directory)
  expect(await again.sessions.get('b')).toMatchObject({ removedAt: 5, damage: {} })
})

test('damaged records count as absent, and are reported', async () => {
  const directory = await createData()
  damage(
    directory,
    // A flipped digit or letter that leaves a valid record: a longer life, an ended revocation.
    `UPDATE keys SET record = replace(record, 'prompt', 'admina') WHERE id = 'b'`,
    `UPDATE projects SET record = replace(record, '/project', '/projecu') WHERE id = 'b'`,
    `UPDATE settings SET record = replace(record, 'on', 'no') WHERE id = 'b'`,
    `DROP TRIGGER audit_keeps_values`,
    `UPDATE audit SET record = '{}' WHERE session = 'b'`,
    `UPDATE blobs SET bytes = x'00' WHERE hash = (SELECT hash FROM blob_owners WHERE ${ofB})`,
  )
  const log = await open(directory)
  expect(await log.keys.get('b')).toBeUndefined()
  expect((await log.keys.list()).map(({ id }) => id)).toEqual(['a', 'c'])
  await expect(log.keys.revoke('b', 1)).rejects.toMatchObject({ code: 'unknown_key' })
  expect((await log.projects.list()).map(({ id }) => id)).toEqual(['a', 'c'])
  expect(await log.settings.get('b')).toBeUndefined()
  expect(await log.settings.hasDamage()).toBe(true)
  expect((await log.audit.list()).map(({ sessionId }) => sessionId)).toEqual(['c', 'a'])
  const { hash } = await log.blobs.put('a', Buffer.from('blob of b'))
  expect(await log.blobs.get(hash)).toBeUndefined()
  const kinds = log.damage.list().map(({ kind }) => kind)
  expect(kinds.sort()).toEqual(['audit', 'blob', 'key', 'project', 'setting'])
  // What is written again is whole again.
  await log.blobs.put('a', Buffer.from('blob of b'))
  expect((await log.blobs.get(hash))?.bytes).toEqual(new Uint8Array(Buffer.from('blob of b')))
  await log.settings.put({ id: 'b', value: 'on' })
  expect(await log.settings.hasDamage()).toBe(false)
})

test('a damaged snapshot, ledger or approval is dropped', async () => {
  const directory = await createData()
  damage(
    directory,
    `UPDATE snapshots SET text = 'another' WHERE ${ofB}`,
    `UPDATE ledger SET row = replace(row, '5', '6') WHERE ${ofB} AND key = 'm1'`,
    `UPDATE approvals SET record = replace(record, 'bash', 'read') WHERE ${ofB}`,
  )
  const log = await open(directory)
  const found: string[] = []
  log.damage.subscribe(({ kind, sessionId }) => found.push(`${kind} ${sessionId}`))
  expect(await log.snapshots.get('b')).toBeUndefined()
  expect(await log.ledger.list('b')).toEqual([])
  expect(await log.approvals.get('approval-b')).toBeUndefined()
  expect((await log.approvals.list()).map(({ sessionId }) => sessionId)).toEqual(['a', 'c'])
  expect(found.slice(0, 3)).toEqual(['snapshot b', 'ledger b', 'approval b'])
  // The session itself is whole.
  expect(await log.sessions.get('b')).toEqual(session('b', { creatorId: 'k' }))
  await log.snapshots.put('b', 3, 'a new one')
  expect(await log.snapshots.get('b')).toEqual({ seq: 3, text: 'a new one' })
})

test('a reader on another thread ends before the damage, too', async () => {
  const directory = await createData()
  damage(directory, `UPDATE events SET text = 'garbage' WHERE ${ofB} AND seq = 5`)
  await (await openSqliteLog(directory)).close()
  const reader = openSqliteReader(join(directory, 'sluice.db'))
  expect((await all(reader.read('b', 0))).map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  expect(await reader.sessions.list()).toHaveLength(3)
  await reader.close()
})

test('an index that lost an entry is built again', async () => {
  const directory = await createData()
  // The schema is edited, so that the entry is removed from the index and not from the table.
  damage(
    directory,
    'PRAGMA writable_schema = ON',
    `UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX events_in_order ON events (session, seq) WHERE seq <> 5' WHERE name = 'events_in_order'`,
  )
  damage(directory, 'REINDEX events_in_order')
  damage(
    directory,
    'PRAGMA writable_schema = ON',
    `UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX events_in_order ON events (session, seq)' WHERE name = 'events_in_order'`,
  )
  const log = await open(directory)
  expect(await seqs(log, 'b')).toHaveLength(10)
  expect(log.damage.list()).toEqual([])
})

test('an index that misses a record is built again when the log is opened', async () => {
  const directory = await createData()
  const index = "name = 'approvals_by_session'"
  damage(
    directory,
    `CREATE TABLE saved AS SELECT * FROM sqlite_schema WHERE ${index}`,
    `PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE ${index}`,
  )
  // The index is no longer known, so this does not change it.
  damage(
    directory,
    `INSERT INTO approvals (id, session, status, created_at, record)
    SELECT 'lost', session, status, created_at, replace(record, 'approval-b', 'lost')
    FROM approvals WHERE id = 'approval-b'`,
  )
  damage(
    directory,
    'PRAGMA writable_schema = ON; INSERT INTO sqlite_schema SELECT * FROM saved',
    'DROP TABLE saved',
  )
  const log = await open(directory)
  const found = await log.approvals.list({ sessionId: 'b' })
  expect(found.map(({ approvalId }) => approvalId).sort()).toEqual(['approval-b', 'lost'])
  expect(log.damage.list()).toEqual([])
})

test('writes that fail because the file is damaged say so, and so does the log', async () => {
  const directory = await createData()
  const file = join(directory, 'sluice.db')
  const database = new DatabaseSync(file, { readOnly: true })
  const { rootpage } = {
    ...database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'blobs'").get(),
  }
  database.close()
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(4096), 0, 4096, (Number(rootpage) - 1) * 4096)
  closeSync(descriptor)

  const log = await open(directory)
  await expect(log.blobs.put('a', Buffer.from('new'))).rejects.toThrow('sluice check --repair')
  expect(log.damage.list()).toContainEqual(
    expect.objectContaining({ kind: 'table', reason: expect.stringContaining('some writes fail') }),
  )
  await log.append('a', events('a', 11, 2))
})
