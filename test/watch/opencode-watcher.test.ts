import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import type { Log } from '../../src/log/log.ts'
import { createWatchedSessions } from '../../src/watch/create-watched-sessions.ts'
import { openOpenCodeImport } from '../../src/watch/stores/import-opencode.ts'
import { openOpenCodeWatcher } from '../../src/watch/stores/opencode-watcher.ts'
import { openCodeSetup } from '../agents/opencode.ts'
import { startModel } from '../model/server.ts'
import { createServerDirectories, startServerProcess } from '../support/server-process.ts'
import { agentHome } from './home.ts'
import { eventsOf, memoryLog, sessionsOf } from './rig.ts'
import { comparable } from './watch-home.ts'

const sample = new URL(
  '../../recordings/opencode-session-file/1.18.33/opencode.db',
  import.meta.url,
).pathname
const writer = new URL('./opencode-writer.ts', import.meta.url).pathname

const openLog = async (onError: (cause: unknown) => void) => {
  const log = await memoryLog()
  const watched = createWatchedSessions({
    ...{ log, publish() {}, publishHistory() {}, notify() {}, onError },
  })
  return { log, watched }
}

/** A database that is watched, and the errors that people see. */
const openRig = async () => {
  const file = join(agentHome(), '.local/share/opencode/opencode.db')
  mkdirSync(dirname(file), { recursive: true })
  const errors: string[] = []
  const onError = (cause: unknown) => void errors.push(String(cause))
  const { log, watched } = await openLog(onError)
  const watcher = openOpenCodeWatcher({
    log,
    watched,
    file,
    scanMs: 1500,
    patienceMs: 1200,
    onError,
  })
  onTestFinished(async () => {
    await watcher.close()
    await watched.close()
  })
  const count = async () => (await sessionsOf(log)).length
  return { file, log, errors, watcher, count }
}

const write = async (from: string, to: string): Promise<void> => {
  const child = spawn(process.execPath, [writer, from, to], { stdio: 'inherit' })
  await once(child, 'exit')
}

/** The messages and results of all sessions, by session. Which session counts a copy may differ. */
const messagesIn = async (log: Log) => {
  const sessions = (await sessionsOf(log)).toSorted((left, right) => (left.id < right.id ? -1 : 1))
  const all = await Promise.all(sessions.map(({ id }) => eventsOf(log, id)))
  return all.map((events) =>
    comparable(events).flatMap((event) =>
      event.type === 'message_end' || event.type === 'tool_result'
        ? { ...event, message: { ...event.message, usage: undefined } }
        : [],
    ),
  )
}

const costIn = async (log: Log): Promise<number> => {
  let total = 0
  for (const { id } of await sessionsOf(log)) {
    const last = (await eventsOf(log, id)).findLast((event) => event.type === 'usage_update')
    total += last?.type === 'usage_update' ? (last.totals.costUsd ?? 0) : 0
  }
  return total
}

const messagesOfImport = async () => {
  const { log, watched } = await openLog((cause) => {
    throw cause
  })
  const opened = await openOpenCodeImport({
    ...{ log, watched, file: sample },
    onError(cause) {
      throw cause
    },
  })
  await opened?.readAll({ isPast: true })
  await opened?.close()
  await watched.close()
  return messagesIn(log)
}

const timeout = { timeout: 10_000 }

test('a database that another process writes, with checkpoints, is followed from its first row', async () => {
  const { file, log, errors } = await openRig()
  const expected = await messagesOfImport()
  await write(sample, file)
  await expect.poll(() => messagesIn(log), timeout).toEqual(expected)
  // What the model server served, as for an import.
  expect(await costIn(log)).toBeCloseTo(0.03237, 6)
  expect(errors).toEqual([])
}, 30_000)

test('a database that is replaced, removed or made again is opened again', async () => {
  const { file, log, errors, watcher, count } = await openRig()
  const expected = await messagesOfImport()
  copyFileSync(sample, file)
  await expect.poll(count, timeout).toBe(5)
  // An older state takes its place, as from a backup, and OpenCode goes on with it.
  const older = new DatabaseSync(`${file}.older`)
  older.close()
  rmSync(`${file}.older`)
  await write(sample, `${file}.older`)
  const backup = new DatabaseSync(`${file}.older`)
  backup.exec('PRAGMA journal_mode = DELETE; DELETE FROM event WHERE rowid > 40; VACUUM')
  backup.close()
  renameSync(`${file}.older`, file)
  await expect.poll(() => watcher.directories(), timeout).toHaveLength(1)
  await write(sample, file)
  await expect.poll(() => messagesIn(log), timeout).toEqual(expected)
  rmSync(file)
  await expect.poll(() => watcher.directories(), timeout).toEqual([])
  await write(sample, file)
  await expect.poll(() => watcher.directories(), timeout).toHaveLength(1)
  expect(await messagesIn(log)).toEqual(expected)
  expect(errors).toEqual([])
}, 60_000)

test('a database that is damaged or locked is reported once, and read when it works again', async () => {
  const { file, errors, count } = await openRig()
  writeFileSync(file, 'SQLite format 3\0 and then something else '.repeat(500))
  await expect.poll(() => errors, timeout).toHaveLength(1)
  expect(errors[0]).toContain(`The sessions of OpenCode in ${file} cannot be read`)
  // It is tried again meanwhile.
  const before = performance.now()
  await expect.poll(() => performance.now() - before > 3500, timeout).toBe(true)
  expect(errors).toHaveLength(1)
  rmSync(file)
  copyFileSync(sample, file)
  const holder = new DatabaseSync(file)
  holder.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
  await expect.poll(() => errors.at(-1), timeout).toContain('locked')
  holder.exec('COMMIT')
  holder.close()
  await expect.poll(count, timeout).toBe(5)
  expect(errors).toHaveLength(2)
}, 60_000)

const { setup, ...missing } = openCodeSetup('http://127.0.0.1:1')
setup?.remove()
if (!setup && 'reason' in missing) console.log(`skipped: ${missing.reason}`)

test.skipIf(!setup)(
  'what the real OpenCode does is shown by a real server, while it does it',
  { timeout: 120_000 },
  async () => {
    const model = await startModel()
    const found = openCodeSetup(model.url, undefined, { bash: 'allow' })
    if (!found.setup) throw new Error(found.reason)
    const { argv, env, cwd, remove } = found.setup
    const directories = createServerDirectories()
    const server = await startServerProcess(directories, { watches: true, env })
    onTestFinished(async () => {
      await server.stop()
      await model.close()
      directories.remove()
      remove()
    })
    const [program = '', ...args] = argv
    const run = async (...more: string[]) => {
      const child = spawn(program, [...args, 'run', ...more], { cwd, env, stdio: 'ignore' })
      await once(child, 'exit')
    }
    const sessions = async () => (await server.client.sessions.list()).sessions
    const texts = async () => {
      const [session] = await sessions()
      return JSON.stringify(session && (await server.client.sessions.events(session.id)))
    }
    await run('scenario:text the word is quince')
    await expect.poll(texts, timeout).toContain('Hello from the model.')
    const [session] = await sessions()
    expect(session).toMatchObject({ agent: 'opencode', watched: {} })
    await run('--continue', 'scenario:tool')
    await expect.poll(texts, timeout).toContain('It ran.')
    expect(await sessions()).toHaveLength(1)
    expect(server.output.stderr).not.toContain('cannot be read')
  },
)
