import { jetstreamManager } from '@nats-io/jetstream'
import { connect, errors, headers, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPublisher, type Publisher } from '../../../src/log/jetstream/publisher.ts'
import { serverErrorOf } from '../../../src/log/jetstream/server-errors.ts'
import { type NatsCluster, natsMissing, startNats } from '../../support/nats-server.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: publishing to JetStream: ${missing}`)

const users = `authorization { users: [
  { user: admin, password: admin }
  { user: guest, password: guest, permissions: { publish: ["ev.mine"], subscribe: ["_INBOX_guest.>"] } }
] }`

describe.skipIf(missing !== undefined)('the publisher', () => {
  let nats: NatsCluster
  let connection: NatsConnection
  let publisher: Publisher
  const login = (name: string) =>
    connect({ servers: [...nats.urls], user: name, pass: name, reconnect: false })
  const text = (value: string) => new TextEncoder().encode(value)
  const after = (streamSeq: number) => {
    const made = headers()
    made.set('Nats-Expected-Last-Subject-Sequence', String(streamSeq))
    return made
  }
  beforeAll(async () => {
    nats = await startNats(1, { config: users })
    connection = await login('admin')
    const manager = await jetstreamManager(connection)
    await manager.streams.add({ name: 'EV', subjects: ['ev.>'] })
    publisher = createPublisher(connection, { timeoutMs: 300 })
  })
  afterAll(async () => {
    await connection.close()
    await nats.stop()
  })

  test('returns the number in the stream, also for many at once', async () => {
    const stored = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        publisher.publish(`ev.many-${index}`, text(String(index)), after(0)),
      ),
    )
    expect(new Set(stored).size).toBe(200)
  })

  test('rejects with the conflict that the server reports', async () => {
    const first = await publisher.publish('ev.a', text('one'), after(0))
    const refused = publisher.publish('ev.a', text('two'), after(first + 1000))
    await expect(refused).rejects.toMatchObject({ code: 10071 })
    await refused.catch((cause: unknown) => expect(serverErrorOf(cause)).toBe('conflict'))
  })

  test('a subject without a stream is a transient error: a leader may be missing', async () => {
    const refused = publisher.publish('elsewhere', text('x'), after(0))
    await expect(refused).rejects.toBeInstanceOf(errors.NoRespondersError)
    await refused.catch((cause: unknown) => expect(serverErrorOf(cause)).toBe('transient'))
  })

  test('no answer in time is a transient error, for each message', async () => {
    // Somebody listens, so that the server does not report that nobody does.
    connection.subscribe('silent.*', { callback: () => {} })
    const late = ['silent.a', 'silent.b'].map((subject) =>
      publisher.publish(subject, text('x'), headers()),
    )
    for (const each of late) await expect(each).rejects.toBeInstanceOf(errors.TimeoutError)
    await late[0]?.catch((cause: unknown) => expect(serverErrorOf(cause)).toBe('transient'))
    expect(await publisher.publish('ev.b', text('x'), after(0))).toBeGreaterThan(0)
  })

  test('a subject without the right to it is refused at once, and others are not', async () => {
    const guest = await login('guest')
    const own = createPublisher(guest, { timeoutMs: 60_000, inboxPrefix: '_INBOX_guest' })
    const allowed = own.publish('ev.mine', text('x'), headers())
    const refused = own.publish('ev.yours', text('x'), headers())
    await expect(refused).rejects.toThrow('Permissions Violation')
    await refused.catch((cause: unknown) => expect(serverErrorOf(cause)).toBe('fatal'))
    expect(await allowed).toBeGreaterThan(0)
    await guest.close()
  })
})
