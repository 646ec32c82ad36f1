import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ApiError } from '../../src/client/api-error.ts'
import type { StoredEvents } from '../../src/client/index.ts'
import { type Fault, requireThat, type Trial } from './fault.ts'
import type { Random } from './random.ts'
import { createFaultServer, type FaultServer, promptWhenIdle, until } from './server.ts'

const sessionCount = 6
/** How many sessions are damaged at once. The others must not notice. */
const victimCount = 3

/** What a session has in each table: the column with its values, and the one with its number. */
const tables = [
  { table: 'sessions', column: 'record', owner: 'number' },
  { table: 'events', column: 'text', owner: 'session' },
  { table: 'approvals', column: 'record', owner: 'session' },
  { table: 'ledger', column: 'row', owner: 'session' },
  { table: 'snapshots', column: 'text', owner: 'session' },
] as const

/** Flips one bit of a value of a session, in a random row of a random table. Returns where. */
const flip = (database: DatabaseSync, sessionId: string, random: Random): string => {
  const session = database.prepare('SELECT number FROM sessions WHERE id = ?').get(sessionId)
  const rows = tables.map(({ table, column, owner }) => ({
    table,
    column,
    ids: database
      .prepare(`SELECT rowid AS id FROM ${table} WHERE ${owner} = ? ORDER BY rowid`)
      .all(Number(session?.number))
      .map(({ id }) => Number(id)),
  }))
  const used = rows.filter(({ ids }) => ids.length > 0)
  const { table, column, ids } = used[random.below(used.length)] ?? { ids: [] }
  const id = ids[random.below(ids.length)] ?? 0
  const row = database
    .prepare(`SELECT CAST(${column} AS BLOB) AS bytes FROM ${table} WHERE rowid = ?`)
    .get(id)
  requireThat(row?.bytes instanceof Uint8Array, `session ${sessionId} has no rows`)
  const bytes = Buffer.from(row.bytes)
  const at = random.below(bytes.length)
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
  const update = `UPDATE ${table} SET ${column} = CAST(? AS TEXT) WHERE rowid = ?`
  database.prepare(update).run(bytes, id)
  return `${table} ${id}, byte ${at}`
}

/** The events of a session as JSON, and whether they end at a damage. */
const eventsOf = async (server: FaultServer, id: string) => {
  const { client } = server.current()
  const events: string[] = []
  try {
    for (let next: number | string | undefined = 0; next !== undefined; ) {
      const page: StoredEvents = await client.sessions.events(id, { after: next, limit: 1000 })
      events.push(...page.events.map((event) => JSON.stringify(event)))
      next = page.next
    }
    return { events, isDamaged: false }
  } catch (cause) {
    if (cause instanceof ApiError && cause.code === 'session_damaged')
      return { events, isDamaged: true }
    throw cause
  }
}

/** Fills a data directory with sessions, and stops its server. */
const fill = async (server: FaultServer): Promise<Map<string, string[]>> => {
  await server.start()
  const { client } = server.current()
  const project = await client.projects.create({ name: 'P', path: server.directories.projects })
  const sessions = new Map<string, string[]>()
  for (let at = 0; at < sessionCount; at += 1) {
    const { id } = await client.sessions.create({ projectId: project.id, agent: 'demo' })
    await client.sessions.prompt(id, at % 2 === 0 ? 'approve' : 'think')
    sessions.set(id, [])
  }
  const isIdle = async () =>
    (await client.sessions.list({ state: 'running', limit: 100 })).sessions.length === 0
  await until('the runs end', isIdle)
  for (const id of sessions.keys()) sessions.set(id, (await eventsOf(server, id)).events)
  await server.stop('SIGTERM')
  return sessions
}

const checkSessions = async (
  server: FaultServer,
  sessions: ReadonlyMap<string, readonly string[]>,
  flips: ReadonlyMap<string, string>,
  trial: Trial,
): Promise<void> => {
  const { client } = server.current()
  const list = await client.sessions.list({ limit: 100 })
  for (const [id, before] of sessions) {
    const where = flips.get(id)
    const { events, isDamaged } = await eventsOf(server, id)
    // Damage in the middle of a session is found when somebody reads it.
    const { reasons } = await client.health()
    const isNamed = reasons.some((reason) => reason.sessionId === id)
    // A running server adds events of its own at the end, such as the end of an interrupted run.
    const isPrefix = events.slice(0, before.length).every((event, at) => event === before[at])
    requireThat(isPrefix, `session ${id} has wrong events (flip in ${where})`)
    if (where === undefined) {
      requireThat(!isDamaged && events.length >= before.length, `session ${id} lost events`)
      requireThat(
        list.sessions.some((session) => session.id === id),
        `session ${id} is not in the list`,
      )
      trial.count('events', before.length)
    } else {
      const isWhole = !isDamaged && events.length >= before.length
      requireThat(isWhole || isNamed, `health does not name session ${id} (flip in ${where})`)
      trial.count(isWhole ? 'repaired sessions' : 'damaged sessions')
    }
  }
}

/** Flips bits in the rows of some sessions. Only those sessions may be affected. */
export const flips: Fault = {
  name: 'flips',
  title: 'flipped bits in the rows of some sessions',
  async run(trial) {
    const server = createFaultServer(trial, 'streaming-agent.js', { args: ['--approve', 'allow'] })
    const sessions = await fill(server)
    const { data } = server.directories
    const copy = `${data}-copy`
    cpSync(data, copy, { recursive: true })
    while (trial.goesOn()) {
      rmSync(data, { recursive: true, force: true })
      cpSync(copy, data, { recursive: true })
      const flipped = new Map<string, string>()
      const database = new DatabaseSync(join(data, 'sluice.db'))
      const ids = [...sessions.keys()]
      for (const id of ids.slice(0, victimCount)) flipped.set(id, flip(database, id, trial.random))
      database.close()
      trial.count('flipped bits', victimCount)
      await server.start()
      await checkSessions(server, sessions, flipped, trial)
      await promptWhenIdle(server.current(), ids.at(-1) ?? '', 'think')
      requireThat((await server.stop('SIGTERM')) === 0, 'the server did not exit with 0')
    }
  },
}
