import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { type Log, openSqliteLog } from '../../../src/log/index.ts'
import { checkSqlite } from '../../../src/log/sqlite/check.ts'
import { repairSqlite } from '../../../src/log/sqlite/repair.ts'
import {
  approval,
  auditEntry,
  events,
  key,
  row,
  seqs,
  session,
  temporaryDirectory,
  textEvent,
} from '../samples.ts'

const pageBytes = 4096
const ids = ['a', 'b', 'c', 'd']

/** A log with four sessions of 300 events, everything in the database file. */
const createData = async (): Promise<string> => {
  const directory = temporaryDirectory('repair')
  const log = await openSqliteLog(directory)
  for (const id of ids) {
    await log.sessions.create(session(id))
    await log.append(id, events(id, 1, 300))
    await log.append(id, [textEvent(id, 301, 'x'.repeat(20_000))])
    await log.approvals.put(approval(`approval-${id}`, id))
    await log.ledger.put(id, [row(id, 'm1', 5)])
    await log.snapshots.put(id, 301, 'a snapshot')
    await log.blobs.put(id, Buffer.from(`blob of ${id}`))
    await log.keys.create(key(id))
    await log.audit.append(auditEntry({ sessionId: id }))
  }
  await log.close()
  return directory
}

const fileIn = (directory: string): string => join(directory, 'sluice.db')

/** The pages of a table or an index, by their numbers. */
const pagesOf = (directory: string, name: string): number[] => {
  const database = new DatabaseSync(fileIn(directory), { readOnly: true })
  const pages = database
    .prepare(`SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno`)
    .all(name)
    .map(({ pageno }) => Number(pageno))
  database.close()
  return pages
}

const overwrite = (directory: string, page: number, bytes: Uint8Array): void => {
  const file = openSync(fileIn(directory), 'r+')
  writeSync(file, bytes, 0, bytes.length, (page - 1) * pageBytes)
  closeSync(file)
}

const open = async (directory: string): Promise<Log> => {
  const log = await openSqliteLog(directory)
  onTestFinished(() => log.close())
  return log
}

test('a clean log has no findings, and a check changes nothing', async () => {
  const directory = await createData()
  const before = readFileSync(fileIn(directory))
  expect(checkSqlite(directory)).toMatchObject({
    sessions: 4,
    events: 4 * 301,
    blobs: 4,
    findings: [],
  })
  expect(readFileSync(fileIn(directory)).equals(before)).toBe(true)
  // Also beside a log that has it open.
  const log = await open(directory)
  await log.append('a', events('a', 302, 5))
  expect(checkSqlite(directory)).toMatchObject({ events: 4 * 301 + 5, findings: [] })
})

test('everything that is not as it was stored is found', async () => {
  const directory = await createData()
  const database = new DatabaseSync(fileIn(directory))
  database.exec(`
    UPDATE events SET text = replace(text, 'word 7"', 'ward 7"');
    DELETE FROM events WHERE session = 2 AND seq = 3;
    UPDATE sessions SET record = json_remove(record, '$.cwd'), checksum = NULL WHERE id = 'c';
    UPDATE approvals SET record = 'x' WHERE id = 'approval-a';
    UPDATE ledger SET row = 'x' WHERE session = 1;
    UPDATE snapshots SET text = 'x' WHERE session = 1;
    UPDATE keys SET record = 'x' WHERE id = 'a';
    UPDATE blobs SET bytes = x'00' WHERE rowid = 1;
    DELETE FROM blobs WHERE rowid = 2;
    DELETE FROM sessions WHERE id = 'd';
  `)
  database.close()
  const found = checkSqlite(directory).findings.map(({ where, id, seq }) =>
    [where, id, seq].filter((each) => each !== undefined && String(each).length < 20).join(' '),
  )
  expect(found.toSorted()).toEqual(
    [
      ...['events a 7', 'events b 3', 'events c 7', 'sessions c', 'approvals approval-a'],
      ...['ledger m1', 'snapshots a', 'keys a', 'blobs', 'blobs'],
      ...['events', 'approvals', 'ledger', 'blob_owners'],
    ].toSorted(),
  )
})

test.each([
  ['zeros', () => new Uint8Array(pageBytes)],
  [
    'random bytes',
    () => Uint8Array.from({ length: pageBytes }, (_, index) => (index * 7919) % 251),
  ],
])('a page of events with %s: the rest is saved into a new file', async (_, bytes) => {
  const directory = await createData()
  const pages = pagesOf(directory, 'events')
  overwrite(directory, pages[Math.floor(pages.length / 2)] ?? 0, bytes())
  expect(checkSqlite(directory).findings).not.toEqual([])

  // Before the repair, other sessions work.
  const damaged = await openSqliteLog(directory)
  const before = new Map<string, number>()
  for (const id of ids) before.set(id, (await seqs(damaged, id)).length)
  expect([...before.values()].filter((count) => count === 301).length).toBeGreaterThanOrEqual(2)
  await damaged.close()

  const { copy, salvaged } = repairSqlite(directory)
  expect(existsSync(copy)).toBe(true)
  expect(statSync(copy).mode & 0o777).toBe(0o600)
  expect(salvaged?.rows).toBeGreaterThan(1000)
  const log = await open(directory)
  for (const id of ids) {
    expect((await seqs(log, id)).length).toBeGreaterThanOrEqual(before.get(id) ?? 0)
    expect(await log.approvals.get(`approval-${id}`)).toMatchObject({ sessionId: id })
    expect(await log.keys.get(id)).toMatchObject({ id })
  }
  expect(checkSqlite(directory).findings.map(({ where }) => where)).not.toContain('file')
  await log.append('d', events('d', 302, 1)).catch(() => {})
})

test.each(['events_in_order', 'large_events', 'ledger_by_key'])(
  'a damaged index (%s) is built again, and nothing is lost',
  async (index) => {
    const directory = await createData()
    overwrite(directory, pagesOf(directory, index)[0] ?? 0, new Uint8Array(pageBytes))
    repairSqlite(directory)
    expect(checkSqlite(directory).findings).toEqual([])
    const log = await open(directory)
    for (const id of ids) expect(await seqs(log, id)).toHaveLength(301)
  },
)

test('sessions whose records are lost are made again from their events', async () => {
  const directory = await createData()
  overwrite(directory, pagesOf(directory, 'sessions')[0] ?? 0, new Uint8Array(pageBytes))
  expect(repairSqlite(directory).salvaged).toMatchObject({ sessions: 4 })
  const log = await open(directory)
  expect((await log.sessions.list()).map(({ id }) => id)).toEqual(['d', 'c', 'b', 'a'])
  expect((await log.sessions.get('a'))?.damage?.reason).toContain('record')
  expect(await seqs(log, 'a')).toHaveLength(301)
})

test('what a cut file still has is saved', async () => {
  const directory = await createData()
  const { size } = statSync(fileIn(directory))
  truncateSync(fileIn(directory), Math.floor((0.6 * size) / pageBytes) * pageBytes)
  repairSqlite(directory)
  const log = await open(directory)
  // The last event is large, and may be in the part that is gone.
  expect((await seqs(log, 'a')).length).toBeGreaterThanOrEqual(300)
})

test.each([
  ['the name of the format', 11, 82],
  ['the version of the format', 47, 102],
  ['the version of the schema', 60, 255],
  ['the version of the schema, which becomes an older one', 63, 0],
  ['the list of tables', 100, 77],
])('a damaged header (%s) is written again, and nothing is lost', async (_, offset, value) => {
  const directory = await createData()
  const bytes = readFileSync(fileIn(directory))
  bytes[offset] = value
  writeFileSync(fileIn(directory), bytes)
  await expect(openSqliteLog(directory)).rejects.toThrow(/sluice check --repair/)
  repairSqlite(directory)
  expect(checkSqlite(directory).findings).toEqual([])
  const log = await open(directory)
  for (const id of ids) expect(await seqs(log, id)).toHaveLength(301)
})

test('every way to an event is tried, and an event knows its place', async () => {
  const directory = await createData()
  const bytes = readFileSync(fileIn(directory))
  // The row number and the seq of single rows, in the table and not in its index.
  for (const [page, byte] of [
    [2, 1],
    [4, 5],
  ] as const) {
    const start = ((pagesOf(directory, 'events')[page] ?? 0) - 1) * pageBytes
    const cell = start + bytes.readUInt16BE(start + 8 + 2 * 3)
    bytes[cell + byte + 1] = (bytes[cell + byte + 1] ?? 0) ^ 0x15
  }
  writeFileSync(fileIn(directory), bytes)
  expect(checkSqlite(directory).findings).not.toEqual([])
  const before = await openSqliteLog(directory)
  const readable = new Map<string, number>()
  for (const id of ids) readable.set(id, (await seqs(before, id)).length)
  await before.close()
  repairSqlite(directory)
  const log = await open(directory)
  for (const id of ids)
    expect((await seqs(log, id)).length).toBeGreaterThanOrEqual(readable.get(id) ?? 0)
})

test('a repair is refused while a log is open, and without a log', async () => {
  const directory = await createData()
  const log = await open(directory)
  expect(() => repairSqlite(directory)).toThrow(expect.objectContaining({ code: 'locked' }))
  await log.close()
  const empty = temporaryDirectory('repair')
  expect(() => repairSqlite(empty)).toThrow(expect.objectContaining({ code: 'unusable_directory' }))
})
