import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openSqliteLog } from '../../../src/log/index.ts'
import { migrate, migrations } from '../../../src/log/sqlite/migrations.ts'
import { approval, events, seqs, session, temporaryDirectory } from '../samples.ts'

/** Opens the database of a log that is not open. */
const withDatabase = <Result>(
  directory: string,
  use: (database: DatabaseSync) => Result,
): Result => {
  const database = new DatabaseSync(join(directory, 'sluice.db'))
  try {
    return use(database)
  } finally {
    database.close()
  }
}
const versionOf = (database: DatabaseSync) =>
  database.prepare('PRAGMA user_version').get()?.user_version
const schemaOf = (database: DatabaseSync) =>
  database.prepare('SELECT sql FROM sqlite_schema ORDER BY name').all()

test('an empty file gets the newest schema', async () => {
  const directory = temporaryDirectory('migrations')
  withDatabase(directory, () => {})
  await (await openSqliteLog(directory)).close()
  expect(withDatabase(directory, versionOf)).toBe(migrations.length)
})

test.each(migrations.map((_, version) => version))(
  'a file of schema %i gets the same schema as a new one',
  async (version) => {
    const directory = temporaryDirectory('migrations')
    const fresh = temporaryDirectory('migrations')
    withDatabase(directory, (database) => migrate(database, migrations.slice(0, version)))
    await (await openSqliteLog(directory)).close()
    await (await openSqliteLog(fresh)).close()
    expect(withDatabase(directory, schemaOf)).toEqual(withDatabase(fresh, schemaOf))
  },
)

test('a migration keeps the stored data and runs only once', async () => {
  const directory = temporaryDirectory('migrations')
  const log = await openSqliteLog(directory)
  await log.sessions.create(session('a'))
  await log.append('a', events('a', 1, 10))
  await log.close()
  const later = [...migrations, 'ALTER TABLE events ADD COLUMN kind TEXT']
  withDatabase(directory, (database) => {
    migrate(database, later)
    migrate(database, later)
    expect(versionOf(database)).toBe(later.length)
    expect(database.prepare('SELECT count(kind), count(*) AS n FROM events').get()?.n).toBe(10)
    database.exec(`ALTER TABLE events DROP COLUMN kind; PRAGMA user_version = ${migrations.length}`)
  })
  const again = await openSqliteLog(directory)
  expect(await seqs(again, 'a')).toHaveLength(10)
  await again.close()
})

test('a migration that fails leaves the file as it was', () => {
  const directory = temporaryDirectory('migrations')
  withDatabase(directory, (database) => {
    const broken = ['CREATE TABLE a (x)', 'CREATE TABLE b (x); INSERT INTO missing VALUES (1)']
    expect(() => migrate(database, broken)).toThrow(/missing/)
    expect(versionOf(database)).toBe(1)
    migrate(database, ['CREATE TABLE a (x)', 'CREATE TABLE b (x)'])
    expect(versionOf(database)).toBe(2)
  })
})

test('a file of a newer Sluice is rejected unchanged, and not left locked', async () => {
  const directory = temporaryDirectory('migrations')
  withDatabase(directory, (database) => database.exec('PRAGMA user_version = 999'))
  for (let time = 0; time < 2; time += 1)
    await expect(openSqliteLog(directory)).rejects.toMatchObject({
      code: 'newer_schema',
      message: expect.stringContaining('newer Sluice'),
    })
  expect(withDatabase(directory, versionOf)).toBe(999)
})

test('an approval that an earlier version stored without a kind is about a tool', async () => {
  const directory = temporaryDirectory('migrations')
  const log = await openSqliteLog(directory)
  await log.sessions.create(session('a'))
  await log.approvals.put(approval('1', 'a'))
  await log.close()
  withDatabase(directory, (database) =>
    database.exec("UPDATE approvals SET checksum = NULL, record = json_remove(record, '$.kind')"),
  )
  const again = await openSqliteLog(directory)
  expect(await again.approvals.get('1')).toEqual(approval('1', 'a'))
  expect(await again.approvals.list()).toEqual([approval('1', 'a')])
  await again.close()
})
