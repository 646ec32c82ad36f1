import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { listSqliteSessions, openSqliteLog } from '../../../src/log/index.ts'
import { session, temporaryDirectory } from '../samples.ts'

test('a directory without a log has no sessions, and listing creates nothing', async () => {
  const directory = temporaryDirectory('listing')
  expect(await listSqliteSessions(join(directory, 'nowhere'))).toEqual([])
  expect(await listSqliteSessions(directory)).toEqual([])
  expect(readdirSync(directory)).toEqual([])
})

test('sessions are listed while the log is open, without disturbing it', async () => {
  const directory = temporaryDirectory('listing')
  const log = await openSqliteLog(directory)
  await log.sessions.create(session('a', { createdAt: 1000 }))
  await log.sessions.create(session('b', { createdAt: 2000 }))
  expect(await listSqliteSessions(directory)).toEqual(await log.sessions.list())
  await log.sessions.update('a', { name: 'Other' })
  expect(await listSqliteSessions(directory, { limit: 1 })).toMatchObject([{ id: 'b' }])
  expect(await listSqliteSessions(directory)).toMatchObject([{ id: 'b' }, { name: 'Other' }])
  await log.close()
  expect(await listSqliteSessions(directory)).toHaveLength(2)
  await (await openSqliteLog(directory)).close() // listing has left no lock
})

test('sessions are listed while another process writes, and after it was killed', async () => {
  const directory = temporaryDirectory('listing')
  const program = new URL('../writer.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [program, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  onTestFinished(() => void child.kill('SIGKILL'))
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false }))
    if (String(text).includes('durable')) break
  expect((await listSqliteSessions(directory)).length).toBeGreaterThan(0)
  child.stdout.resume()
  child.kill('SIGKILL')
  await closed
  expect((await listSqliteSessions(directory)).length).toBeGreaterThan(0)
})

test('a file that is not a database is rejected, and so is data of a newer Sluice', async () => {
  const directory = temporaryDirectory('listing')
  writeFileSync(join(directory, 'sluice.db'), 'x'.repeat(5000))
  await expect(listSqliteSessions(directory)).rejects.toMatchObject({ code: 'damaged' })
  rmSync(join(directory, 'sluice.db'))
  const database = new DatabaseSync(join(directory, 'sluice.db'))
  database.exec('PRAGMA user_version = 999')
  database.close()
  await expect(listSqliteSessions(directory)).rejects.toMatchObject({ code: 'newer_schema' })
})
