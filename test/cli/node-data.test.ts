import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type NatsCluster, natsMissing, startNats } from '../support/nats-server.ts'
import {
  createServerDirectories,
  type ServerProcess,
  startServerProcess,
} from '../support/server-process.ts'
import { sluice } from '../support/sluice.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: the data directory of a node: ${missing}`)

describe.skipIf(missing !== undefined)('the data directory of a node', () => {
  const directories = createServerDirectories()
  const { data, projects } = directories
  let nats: NatsCluster | undefined
  let node: ServerProcess | undefined
  let id = ''
  const run = (...args: string[]) => sluice([...args, '--data', data])

  beforeAll(async () => {
    nats = await startNats()
    node = await startServerProcess(directories, {
      args: ['--nats', nats.urls.join(','), '--node', 'one'],
    })
    const { client } = node
    const project = await client.projects.create({ name: 'garden', path: projects })
    const session = await client.sessions.create({ projectId: project.id, agent: 'demo' })
    id = session.id
    await client.sessions.update(id, { name: 'Plant roses' })
    await client.sessions.prompt(id, 'Hello')
    for await (const event of client.sessions.stream(id, { after: 0 })) {
      if (event.type === 'approval_request')
        await client.approvals.answer(event.approvalId, { action: 'allow' })
      if (event.type === 'agent_end') break
    }
  }, 60_000)
  afterAll(async () => {
    await node?.stop()
    await nats?.stop()
    directories.remove()
  })

  test('commands that can ask the node show what the cluster has', async () => {
    expect((await run('sessions')).stdout).toMatch(new RegExp(`^${id} .* demo +Plant roses`))
    expect(JSON.parse((await run('sessions', '--json')).stdout)).toMatchObject({ id })
    expect((await run('cost', '--by', 'agent')).stdout).toMatch(/demo .*\$/)
    const tailed = await run('tail', 'Plant roses', '--no-follow')
    expect(tailed).toMatchObject({ code: 0, stdout: expect.stringContaining('agent_end') })
    expect((await run('pin', 'Plant roses')).stdout).toContain(`Pinned ${id}`)
    expect(await node?.client.sessions.get(id)).toMatchObject({ pinned: true })
  })

  test.each([
    ['export', 'Plant roses'],
    ['share', 'Plant roses'],
    ['replay', 'Plant roses'],
    ['backup', join(data, 'copy.db')],
    ['check'],
    ['compact'],
  ])('%s says that the sessions are in NATS', async (...args) => {
    expect(await run(...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`Node one runs on ${data}, and stores its sessions in NATS.`),
    })
  })
})
