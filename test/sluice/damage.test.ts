import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { openSluice } from '../../src/sluice/sluice.ts'
import { eventually } from '../support/eventually.ts'
import { type LocalServer, readProblem, startLocalServer } from '../support/local-server.ts'

process.env.SLUICE_DEMO_PACE = '0'

let server: LocalServer | undefined
afterEach(async () => {
  await server?.close()
  server?.remove()
  server = undefined
})

interface Data {
  directory: string
  /** Of three sessions that have each had a run. */
  ids: [string, string, string]
}

const createData = async (): Promise<Data> => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-damage-')))
  const cwd = join(directory, 'home', 'project')
  mkdirSync(cwd, { recursive: true })
  const sluice = await openSluice({ data: join(directory, 'data'), policy: 'allow' })
  const run = async (): Promise<string> => {
    const { record, session } = await sluice.sessions.create({ agent: 'demo', cwd })
    await session.prompt('Say something')
    await session.idle()
    return record.id
  }
  const ids: Data['ids'] = [await run(), await run(), await run()]
  await sluice.close()
  return { directory, ids }
}

const damage = ({ directory }: Data, ...statements: string[]): void => {
  const database = new DatabaseSync(join(directory, 'data', 'sluice.db'))
  for (const sql of statements) database.exec(sql)
  database.close()
}

const sessionOf = (id: string): string =>
  `session = (SELECT number FROM sessions WHERE id = '${id}')`

/** Fails unless a session works in every way. */
const expectWhole = async ({ client, api }: LocalServer, id: string): Promise<void> => {
  expect((await client.sessions.get(id)).damage).toBeUndefined()
  const { head } = await client.sessions.events(id)
  expect((await client.sessions.messages(id)).messages.length).toBeGreaterThan(1)
  expect((await api(`/sessions/${id}/export?format=markdown`)).status).toBe(200)
  await client.sessions.prompt(id, 'Again')
  await eventually(async () =>
    expect((await client.sessions.events(id)).head).toBeGreaterThan(head),
  )
}

test('a damaged event takes one session down: it is named, readable up to there, and can be deleted', async () => {
  const data = await createData()
  const [whole, broken, other] = data.ids
  const seq = 8
  damage(
    data,
    `UPDATE events SET text = replace(text, 'e', 'f') WHERE ${sessionOf(broken)} AND seq = ${seq}`,
    // Otherwise nothing needs to read the events, and nothing finds the damage.
    'DELETE FROM snapshots',
  )
  server = await startLocalServer({ directory: data.directory })
  const { client, api } = server

  const page = await client.sessions.events(broken)
  expect(page.events).toHaveLength(seq - 1)
  expect(await readProblem(api(`/sessions/${broken}/events?after=${page.next}`))).toMatchObject({
    status: 409,
    code: 'session_damaged',
    sessionId: broken,
    seq,
  })
  expect((await client.sessions.get(broken)).damage).toMatchObject({ seq })
  const { sessions } = await client.sessions.list()
  expect(sessions.filter((each) => each.damage).map(({ id }) => id)).toEqual([broken])
  expect(sessions).toHaveLength(3)
  const health = await api('/health', { token: null })
  expect(health.status).toBe(200)
  expect(await health.json()).toMatchObject({
    status: 'degraded',
    reasons: [{ code: 'session_damaged', sessionId: broken }],
  })

  expect(await readProblem(api(`/sessions/${broken}/prompt`, prompt))).toMatchObject({
    status: 409,
    code: 'session_damaged',
    seq,
  })
  expect((await api(`/sessions/${broken}/messages`)).status).toBe(200)
  expect((await api(`/sessions/${broken}/usage`)).status).toBe(200)
  expect((await api('/search?q=something')).status).toBe(200)
  const lines = (await (await api(`/sessions/${broken}/export?format=jsonl`)).text())
    .trim()
    .split('\n')
  expect(lines).toHaveLength(seq)
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'session_damaged', after: seq - 1 })
  expect(await typesUntilDamage(client, broken)).toEqual(['snapshot', 'session_damaged'])

  await expectWhole(server, whole)
  await expectWhole(server, other)
  await client.sessions.remove(broken)
  expect((await client.sessions.list()).sessions).toHaveLength(2)
})

const prompt = { method: 'POST', body: { text: 'Hello' } }

const typesUntilDamage = async (client: LocalServer['client'], id: string): Promise<string[]> => {
  const types: string[] = []
  for await (const { type } of client.sessions.stream(id)) {
    types.push(type)
    if (type === 'session_damaged') break
  }
  return types
}

test('a reader of a session sees when damage is found, and other readers go on', async () => {
  const data = await createData()
  const [, broken] = data.ids
  server = await startLocalServer({ directory: data.directory })
  const { client } = server
  const seen: string[] = []
  const ended = new AbortController()
  const reading = (async () => {
    for await (const event of client.sessions.stream(broken, { signal: ended.signal }))
      seen.push(event.type)
  })()
  await eventually(() => expect(seen).toEqual(['snapshot']))
  damage(data, `UPDATE events SET text = '{}' WHERE ${sessionOf(broken)} AND seq = 3`)
  expect((await client.sessions.events(broken)).events).toHaveLength(2)
  await eventually(() => expect(seen).toContain('session_damaged'))
  ended.abort()
  await reading.catch(() => {})
})

test('a session without a readable record stays one damaged session', async () => {
  const data = await createData()
  const [whole, broken, other] = data.ids
  damage(
    data,
    `UPDATE sessions SET record = json_remove(record, '$.createdAt') WHERE id = '${broken}'`,
  )
  server = await startLocalServer({ directory: data.directory })
  const { client, api } = server
  expect((await client.sessions.list()).sessions.map(({ id }) => id)).toEqual([
    other,
    broken,
    whole,
  ])
  expect((await client.sessions.get(broken)).damage?.reason).toContain('record')
  expect(await readProblem(api(`/sessions/${broken}/prompt`, prompt))).toMatchObject({
    code: 'session_damaged',
  })
  expect((await client.sessions.messages(broken)).messages.length).toBeGreaterThan(1)
  await expectWhole(server, whole)
  await client.sessions.remove(broken)
  await expectWhole(server, other)
})

test('damaged snapshots, ledgers and approvals are made again', async () => {
  const data = await createData()
  const [id] = data.ids
  const approvalsBefore = approvalsIn(data, id)
  const ledgerBefore = ledgerIn(data, id)
  expect(approvalsBefore.length).toBeGreaterThan(0)
  expect(ledgerBefore.length).toBeGreaterThan(0)
  damage(
    data,
    `UPDATE snapshots SET text = '{"version":2}' || text`,
    `UPDATE ledger SET row = replace(row, '1', '2') WHERE ${sessionOf(id)}`,
    `UPDATE approvals SET record = replace(record, 'e', 'f') WHERE ${sessionOf(id)}`,
  )
  server = await startLocalServer({ directory: data.directory })
  for (const each of data.ids) await expectWhole(server, each)
  // Somebody looks at an approval: that finds the damage.
  for (const approval of idsOf(approvalsBefore)) await server.api(`/approvals/${approval}/preview`)
  const health = await (await server.api('/health', { token: null })).json()
  expect(health).toMatchObject({ status: 'ok' })
  await eventually(() =>
    expect(approvalsIn(data, id)).toEqual(expect.arrayContaining(approvalsBefore)),
  )
  // A ledger is stored when a run ends, or the session leaves memory.
  await server.close()
  expect(ledgerIn(data, id)).toEqual(expect.arrayContaining(ledgerBefore))
})

const idsOf = (rows: readonly unknown[]): string[] =>
  rows.map((row) => z.object({ id: z.string() }).parse(row).id)

const approvalsIn = ({ directory }: Data, id: string): unknown[] =>
  select(directory, `SELECT id, status, record FROM approvals WHERE ${sessionOf(id)}`)

/** Without the times, which say when a row was stored. */
const ledgerIn = ({ directory }: Data, id: string): unknown[] =>
  select(
    directory,
    `SELECT key, json_remove(row, '$.timestamp') AS row FROM ledger WHERE key <> '' AND ${sessionOf(id)}`,
  )

const select = (directory: string, sql: string): unknown[] => {
  const database = new DatabaseSync(join(directory, 'data', 'sluice.db'), { readOnly: true })
  try {
    return database.prepare(sql).all()
  } finally {
    database.close()
  }
}

test('a damaged key lets nobody in', async () => {
  const data = await createData()
  const first = await startLocalServer({ directory: data.directory })
  const { key, id } = await first.instance.keys.create({ name: 'reader', scopes: ['read'] })
  expect((await first.api('/sessions', { token: key })).status).toBe(200)
  await first.close()
  damage(data, `UPDATE keys SET record = replace(record, '"read"', '"admin"') WHERE id = '${id}'`)
  server = await startLocalServer({ directory: data.directory })
  expect(await readProblem(server.api('/sessions', { token: key }))).toMatchObject({ status: 401 })
  expect(await (await server.api('/health', { token: null })).json()).toMatchObject({
    status: 'degraded',
    reasons: [{ code: 'records_damaged' }],
  })
})
