import { DiscardPolicy, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type NatsCluster, natsMissing, startNats } from '../support/nats-server.ts'
import { createTestNodes, leaseSeconds } from './start-nodes.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: streams that are deleted: ${missing}`)

const args = ['--lease', `${leaseSeconds}s`]

describe.skipIf(missing !== undefined)('streams that are deleted while nodes run', () => {
  let nats: NatsCluster
  beforeAll(async () => {
    nats = await startNats()
  })
  afterAll(() => nats.stop())

  const deleteStream = async (name: string): Promise<void> => {
    const connection = await connect({ servers: [...nats.urls] })
    onTestFinished(() => connection.close())
    await (await jetstreamManager(connection)).streams.delete(name)
  }

  test.for([
    ['events', (tenant: string) => `sluice_${tenant}_events`],
    ['nodes', (tenant: string) => `KV_sluice_${tenant}_nodes`],
  ] as const)(
    'say so once, and refuse new work: %s',
    { timeout: 60_000 },
    async ([content, nameOf]) => {
      const nodes = createTestNodes(nats)
      // It makes the streams, so that the other one sees all of them when it starts.
      await nodes.start('zero', { args })
      const one = await nodes.start('one', { args })
      const project = await one.client.projects.create({ name: 'p', path: nodes.projects })
      const { id } = await one.client.sessions.create({ projectId: project.id, agent: 'demo' })
      await deleteStream(nameOf(nodes.tenant))
      const reason = `The stream of ${content} was deleted`
      await one.waitForStderr(reason)
      await expect(one.client.sessions.prompt(id, 'hello')).rejects.toMatchObject({
        status: 503,
        code: 'log_failed',
      })
      const health = await one.client.health()
      expect(health.reasons).toMatchObject([
        { code: 'log_failed', detail: expect.stringContaining(reason) },
      ])
      expect(one.output.stderr).not.toContain('stream not found')
    },
  )

  test('end the nodes that still know what was in them', { timeout: 60_000 }, async () => {
    const nodes = createTestNodes(nats)
    const [one, two] = await Promise.all([
      nodes.start('one', { args }),
      nodes.start('two', { args }),
    ])
    await deleteStream(`KV_sluice_${nodes.tenant}`)
    await one.stop()
    // It makes an empty stream. What node two knows, such as its keys, is not in there.
    await nodes.start('three', { args })
    expect(await two.exited).not.toBe(0)
    expect(two.output.stderr).toContain('was deleted from NATS and made again or restored')
  })

  test('a stream that is sealed refuses new work, and the health says so', async () => {
    const nodes = createTestNodes(nats)
    const one = await nodes.start('one', { args })
    const project = await one.client.projects.create({ name: 'p', path: nodes.projects })
    const { id } = await one.client.sessions.create({ projectId: project.id, agent: 'demo' })
    const connection = await connect({ servers: [...nats.urls] })
    onTestFinished(() => connection.close())
    const { streams } = await jetstreamManager(connection)
    const name = `sluice_${nodes.tenant}_events`
    const { config } = await streams.info(name)
    const sealed = { ...config, sealed: true, discard: DiscardPolicy.New }
    await streams.update(name, sealed)
    await one.waitForStderr('The stream of events was sealed')
    await expect(one.client.sessions.prompt(id, 'hello')).rejects.toMatchObject({
      status: 503,
      code: 'log_failed',
    })
  })
})
