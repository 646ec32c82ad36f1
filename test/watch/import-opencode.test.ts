import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkOrder } from '../../src/events/order.ts'
import type { Log } from '../../src/log/index.ts'
import { createWatchedSessions } from '../../src/watch/create-watched-sessions.ts'
import { openOpenCodeImport } from '../../src/watch/stores/import-opencode.ts'
import { eventsOf, memoryLog, sessionsOf } from './rig.ts'

const sample = new URL(
  '../../recordings/opencode-session-file/1.18.33/opencode.db',
  import.meta.url,
).pathname
const main = 'ses_e1e909fe3ffeJHcHjXLERuEd5p'

let directory: string
let file: string
let log: Log
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-opencode-'))
  file = join(directory, 'opencode.db')
  copyFileSync(sample, file)
  log = await memoryLog()
})
afterEach(() => rmSync(directory, { recursive: true }))

/** Opens the database, as a new start of Sluice would. */
const open = async (more: { log?: Log; onError?: (cause: unknown) => void } = {}) => {
  const fail = (cause: unknown): never => {
    throw cause
  }
  const watched = createWatchedSessions({
    ...{ log, publish() {}, publishHistory() {}, notify() {}, onError: fail, ...more },
  })
  const opened = await openOpenCodeImport({ log, watched, file, onError: fail, ...more })
  if (!opened) throw new Error('no database')
  return {
    ...opened,
    watched,
    async close() {
      await opened.close()
      await watched.close()
    },
  }
}

const all = { isPast: true }

const change = (sql: string) => {
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA foreign_keys = OFF; ${sql}`)
  database.close()
}

const costOf = async (): Promise<number> => {
  let total = 0
  for (const { id } of await sessionsOf(log)) {
    const events = await eventsOf(log, id)
    const last = events.findLast((event) => event.type === 'usage_update')
    total += last?.type === 'usage_update' ? (last.totals.costUsd ?? 0) : 0
  }
  return total
}

test('reads all sessions, with subagents inside, and counts forks once', async () => {
  const first = await open()
  expect(await first.readAll(all)).toMatchObject({ agent: 'opencode', read: 5, unchanged: 0 })
  await first.close()
  const sessions = await sessionsOf(log)
  expect(sessions.map(({ name }) => name).toSorted()).toEqual([
    'Aside title',
    'Aside title',
    'Aside title',
    'Aside title',
    'Aside title (fork #1)',
  ])
  // What the model server served: 9 answers, one of them with thoughts.
  expect(await costOf()).toBeCloseTo(0.03237, 6)
  for (const { id } of sessions) expect(checkOrder(await eventsOf(log, id))).toEqual([])
})

test('a second start reads nothing again, and goes on where a crash stopped it', async () => {
  const first = await open()
  await first.readAll(all)
  await first.close()
  const before = await Promise.all((await sessionsOf(log)).map(({ id }) => eventsOf(log, id)))
  const second = await open()
  expect(await second.readAll(all)).toMatchObject({ read: 0, unchanged: 5 })
  // As if the server had been killed before it noted what it had read.
  for (const { id, watched } of await sessionsOf(log))
    if (watched) await log.sessions.update(id, { watched: { ...watched, read: 'other' } })
  expect(await second.readAll(all)).toMatchObject({ read: 5 })
  await second.close()
  const after = await Promise.all((await sessionsOf(log)).map(({ id }) => eventsOf(log, id)))
  expect(after).toEqual(before)
})

test('what OpenCode writes later is added to the session', async () => {
  change(`CREATE TABLE later AS SELECT * FROM event WHERE aggregate_id = '${main}' AND seq > 20;
    DELETE FROM event WHERE aggregate_id = '${main}' AND seq > 20`)
  const first = await open()
  await first.readAll({ isPast: false })
  const id = first.watched.idOf({ agent: 'opencode', nativeId: main })
  const ends = async () =>
    (await eventsOf(log, id)).filter(({ type }) => type === 'agent_end').length
  expect(await ends()).toBe(1) // closed: nothing has been written for long
  change('INSERT INTO event SELECT * FROM later')
  await first.readChanges({ isPast: false })
  const texts = JSON.stringify(await eventsOf(log, id))
  expect(texts).toContain('Both are done.')
  expect(texts).toContain('Hello from the scripted model.')
  await first.close()
})

test('sessions that Sluice runs are left alone, and so is a directory that is switched off', async () => {
  await log.sessions.create({
    ...{ id: 'own', agent: 'opencode', cwd: '/home/dev/project', state: 'idle', nativeId: main },
    ...{ createdAt: 1, updatedAt: 1 },
  })
  const first = await open()
  expect(await first.readAll(all)).toMatchObject({ read: 4, own: 1 })
  await first.close()
  expect(await sessionsOf(log)).toHaveLength(5)
})

test('a session that cannot be stored does not keep the others from being read', async () => {
  const causes: unknown[] = []
  let isBad = true
  const append: Log['append'] = async (id, events) => {
    const record = await log.sessions.get(id)
    if (isBad && record?.watched?.nativeId === main) throw new Error('cannot be stored')
    await log.append(id, events)
  }
  const opened = await open({
    log: { ...log, append },
    onError: (cause) => void causes.push(cause),
  })
  expect(await opened.readAll(all)).toMatchObject({ read: 4 })
  expect(causes).toHaveLength(1)
  isBad = false
  await opened.readChanges(all)
  await opened.close()
  const again = await open()
  expect(await again.readAll(all)).toMatchObject({ unchanged: 5 })
  await again.close()
})
