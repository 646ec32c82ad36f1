import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openSqliteLog } from '../../src/log/index.ts'
import { events, session, temporaryDirectory } from '../log/samples.ts'
import { sluice } from '../support/sluice.ts'

const createData = async (): Promise<string> => {
  const directory = temporaryDirectory('check')
  const log = await openSqliteLog(directory)
  for (const id of ['a', 'b']) {
    await log.sessions.create(session(id))
    await log.append(id, events(id, 1, 10))
    await log.snapshots.put(id, 10, 'a snapshot')
  }
  await log.close()
  return directory
}

const change = (directory: string, sql: string): void => {
  const database = new DatabaseSync(join(directory, 'sluice.db'))
  database.exec(sql)
  database.close()
}

test('check says what is damaged, repairs what it can, and exits with 0, 1 or 2', async () => {
  const data = await createData()
  const clean = await sluice(['check', '--data', data])
  expect(clean).toMatchObject({ code: 0, stderr: '' })
  expect(clean.stdout).toContain('2 sessions, 20 events')
  expect(clean.stdout).toContain('Nothing is damaged.')

  change(
    data,
    "UPDATE snapshots SET text = 'other'; UPDATE events SET text = 'x' WHERE session = 1 AND seq = 4",
  )
  const found = await sluice(['check', '--data', data])
  expect(found.code).toBe(1)
  expect(found.stdout).toContain('events a: Event 4 is missing or damaged.')
  expect(found.stdout).toContain('sluice check --repair')

  // Beside a running server, it only reads.
  const log = await openSqliteLog(data)
  const [json, refused] = await Promise.all([
    sluice(['check', '--data', data, '--json']),
    sluice(['check', '--data', data, '--repair']),
  ])
  await log.close()
  expect(JSON.parse(json.stdout).findings).toHaveLength(3)
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain('is in use by')

  const repaired = await sluice(['check', '--data', data, '--repair'])
  expect(repaired.code).toBe(1)
  expect(repaired.stdout).toContain('sluice-before-repair-')
  expect(repaired.stdout).toContain('Found 1 problem:\n  events a: Event 4')
  const sessions = await sluice(['sessions', '--data', data])
  expect(sessions.stdout).toMatch(/a .*damaged/)
}, 60_000)

test('without a log, check and pin say so and create nothing', async () => {
  const empty = temporaryDirectory('check-empty')
  for (const data of [empty, join(empty, 'none')])
    for (const command of [['check'], ['check', '--repair'], ['pin', 'a']])
      expect(await sluice([...command, '--data', data])).toMatchObject({
        ...{ code: 2, stdout: '', stderr: `sluice: There is no log in ${data}.\n` },
      })
  expect(readdirSync(empty)).toEqual([])
})

test('a file in which nothing can be read is not repaired, and the next step is named', async () => {
  const data = temporaryDirectory('check-garbage')
  const file = join(data, 'sluice.db')
  writeFileSync(file, 'garbage '.repeat(1000))
  const { code, stderr } = await sluice(['check', '--repair', '--data', data])
  expect(code).toBe(2)
  expect(stderr).toMatch(/^sluice: .* cannot be repaired .*`sluice restore --force`\.\n$/)
  expect(readFileSync(file, 'utf8')).toMatch(/^garbage /)
  expect(readdirSync(data)).not.toContain('sluice.db.repaired')
})

test('the sqlite3 of the system can read and change the database', async ({ skip }) => {
  const { stdout } = spawnSync('sqlite3', ['--version'], { encoding: 'utf8' })
  if (!stdout) {
    console.log('skipped: the sqlite3 of the system (there is none)')
    skip()
  }
  const data = await createData()
  const { stdout: result, stderr } = spawnSync(
    'sqlite3',
    [
      join(data, 'sluice.db'),
      `PRAGMA integrity_check; DELETE FROM events WHERE session = 2; SELECT count(*) FROM events;`,
    ],
    { encoding: 'utf8' },
  )
  expect({ result, stderr }).toEqual({ result: 'ok\n10\n', stderr: '' })
})
