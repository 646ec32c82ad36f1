import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Accepted } from '../../../src/api/types.ts'
import { ApiError } from '../../../src/client/api-error.ts'
import type { Client } from '../../../src/client/client.ts'
import { openSqliteLog } from '../../../src/log/index.ts'
import { ofType } from '../../support/decoded.ts'
import { eventually } from '../../support/eventually.ts'
import {
  createServerDirectories,
  type ServerDirectories,
  type ServerProcess,
  startServerProcess,
} from '../../support/server-process.ts'

/** Servers that are killed after they accepted commands, with the demo agent. */
describe('a command that was accepted', () => {
  let directories: ServerDirectories
  const running: ServerProcess[] = []

  beforeEach(() => {
    directories = createServerDirectories()
  })
  afterEach(async () => {
    for (const each of running.splice(0)) await each.stop('SIGKILL')
    directories.remove()
  })

  /** A slow demo: its runs last until they are aborted. */
  const start = async (port = 0, pace = '400'): Promise<ServerProcess> => {
    const env = { ...process.env, SLUICE_DEMO_PACE: pace }
    const server = await startServerProcess(directories, { port, env })
    running.push(server)
    return server
  }

  const createSessions = async ({ client }: ServerProcess, count: number): Promise<string[]> => {
    const project = await client.projects.create({ name: 'P', path: directories.projects })
    const options = { projectId: project.id, agent: 'demo' }
    const created = Array.from({ length: count }, () => client.sessions.create(options))
    return (await Promise.all(created)).map(({ id }) => id)
  }

  const storedCommands = (): number => {
    const database = new DatabaseSync(join(directories.data, 'sluice.db'), { readOnly: true })
    try {
      return Number(database.prepare('SELECT count(*) AS n FROM commands').get()?.n)
    } finally {
      database.close()
    }
  }

  type Verb = 'prompt' | 'steer' | 'follow-up'
  interface Sent {
    id: string
    verb: Verb
    key: string
    text: string
    body: Accepted
  }

  const send = async (
    { url, token }: ServerProcess,
    { id, verb, key, text }: Pick<Sent, 'id' | 'verb' | 'key' | 'text'>,
  ) => {
    const response = await fetch(`${url}/api/v1/sessions/${id}/${verb}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ text }),
    })
    const { status, headers } = response
    const body = (await response.json()) as Accepted
    return { status, body, replayed: headers.get('idempotency-replayed') }
  }

  const eventsOf = async (client: Client, id: string) =>
    (await client.sessions.events(id, { limit: 1000 })).events

  /** How often a message is shown or queued, and by whom. */
  const tracesOf = async (client: Client, { id, text }: Pick<Sent, 'id' | 'text'>) => {
    const events = await eventsOf(client, id)
    const shown = ofType(events, 'message_end').flatMap(({ message }) => {
      const [block] = message.content
      return message.role === 'user' && block && 'text' in block && block.text === text
        ? [`shown by ${message.by}`]
        : []
    })
    const { queued } = ofType(events, 'queue_update').at(-1) ?? {}
    return [...shown, ...(queued?.followUp.includes(text) ? ['queued'] : [])]
  }

  test('is found once after kill -9, and its key does not run it again', async () => {
    const server = await start()
    const ids = await createSessions(server, 6)
    // The last two sessions are working, so that messages can be queued.
    for (const id of ids.slice(4)) {
      await server.client.sessions.prompt(id, 'think')
      await eventually(async () =>
        expect((await eventsOf(server.client, id)).map(({ type }) => type)).toContain(
          'agent_start',
        ),
      )
    }
    const wanted = ids.map((id, index) => {
      const verb: Verb = index < 4 ? 'prompt' : index === 4 ? 'steer' : 'follow-up'
      return { id, verb, key: randomUUID(), text: `message ${index}` }
    })
    // The server is killed as soon as a part of the commands is accepted.
    const sent: Sent[] = []
    const enough = Promise.withResolvers<void>()
    const sending = wanted.map(async (each) => {
      const response = await send(server, each).catch(() => undefined)
      if (response?.status === 202) sent.push({ ...each, body: response.body })
      if (sent.length >= 3) enough.resolve()
    })
    await enough.promise
    await server.stop('SIGKILL')
    await Promise.all(sending)

    const again = await start()
    const { client } = again
    for (const each of sent) {
      const expected = each.verb === 'follow-up' ? 'queued' : 'shown by test'
      expect(await tracesOf(client, each), each.verb).toEqual([expected])
      const repeated = await send({ ...again, token: server.token }, each)
      expect(repeated).toMatchObject({ status: 202, replayed: 'true', body: each.body })
      expect(await tracesOf(client, each)).toEqual([expected])
    }
    // Those without a response may have been accepted or not, but not twice.
    for (const each of wanted) {
      await send({ ...again, token: server.token }, each)
      expect((await tracesOf(client, each)).length).toBeLessThanOrEqual(1)
    }
    const audited = (await client.audit.list({ limit: 100 })).entries.map(({ detail }) => detail)
    for (const { text } of sent) expect(audited.filter((detail) => detail === text)).toEqual([text])
    await again.stop('SIGKILL')
    const log = await openSqliteLog(directories.data)
    const open = (await Promise.all(ids.map((id) => log.commands.list(id)))).flat()
    expect(open.filter(({ state }) => state === 'queued').length).toBeLessThanOrEqual(1)
    await log.close()
  })

  test('stays in the queue over kill -9 and SIGTERM, and is sent after the next run', async () => {
    const texts = ['think first', 'think second', 'think third']
    let server = await start()
    const [id = ''] = await createSessions(server, 1)
    await server.client.sessions.prompt(id, 'think')
    for (const text of texts) await server.client.sessions.followUp(id, text)
    const queueOf = async ({ client }: ServerProcess) =>
      ofType(await eventsOf(client, id), 'queue_update').at(-1)?.queued.followUp
    await server.stop('SIGKILL')
    server = await start(0, '0')
    expect(await queueOf(server)).toEqual(texts)
    await server.stop('SIGTERM')
    server = await start(0, '0')
    expect(await queueOf(server)).toEqual(texts)

    const { client } = server
    await client.sessions.prompt(id, 'think now')
    await eventually(async () => expect(await queueOf(server)).toEqual([]))
    await eventually(async () => expect((await client.sessions.get(id)).state).toBe('idle'))
    const said = ofType(await eventsOf(client, id), 'message_end').flatMap(({ message }) =>
      message.role === 'user' ? [message.content[0], message.by] : [],
    )
    const expected = ['think', 'think now', ...texts].flatMap((text) => [
      { type: 'text', text },
      'test',
    ])
    expect(said).toEqual(expected)
  })

  test('is retried by the client over a crash, and has one effect', async () => {
    const server = await start()
    const [id = ''] = await createSessions(server, 1)
    const key = randomUUID()
    const accepted = promptUntilAccepted(server.client, id, key)
    // It is killed when the command is stored, which is before the agent has started.
    await eventually(() => expect(storedCommands()).toBeGreaterThan(0))
    await server.stop('SIGKILL')
    const again = await start(server.port)
    expect(await accepted).toMatchObject({ sessionId: id, outcome: 'accepted' })
    await eventually(async () =>
      expect(await tracesOf(again.client, { id, text: 'just once' })).toEqual(['shown by test']),
    )
    expect(await promptUntilAccepted(server.client, id, key)).toMatchObject({ sessionId: id })
    expect(await tracesOf(again.client, { id, text: 'just once' })).toEqual(['shown by test'])
  })
})

/** The client retries by itself; a machine that is busy may need longer for the restart. */
const promptUntilAccepted = async (
  client: Client,
  id: string,
  idempotencyKey: string,
): Promise<Accepted> => {
  for (;;)
    try {
      return await client.sessions.prompt(id, 'just once', { idempotencyKey })
    } catch (cause) {
      if (!(cause instanceof ApiError) || cause.code !== 'unreachable') throw cause
    }
}
