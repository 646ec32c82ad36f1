import { afterAll, beforeAll, expect, test } from 'vitest'
import { piSetup } from '../../agents/pi.ts'
import { startModel } from '../../model/server.ts'
import { agentProgram } from '../../support/agent-program.ts'
import { eventually } from '../../support/eventually.ts'
import {
  createServerDirectories,
  type ServerDirectories,
  type ServerProcess,
  startServerProcess,
} from '../../support/server-process.ts'
import { sluice } from '../../support/sluice.ts'

let directories: ServerDirectories
let server: ServerProcess
let model: Awaited<ReturnType<typeof startModel>>
let setup: ReturnType<typeof piSetup>

beforeAll(async () => {
  directories = createServerDirectories()
  model = await startModel()
  setup = piSetup('0.87', model.url)
  const env = { ...setup.env, PI_BIN: agentProgram(setup) }
  server = await startServerProcess(directories, { env })
})
afterAll(async () => {
  await server.stop()
  setup.remove()
  await model.close()
  directories.remove()
})

const at = (...args: string[]) => sluice([...args, '--data', directories.data])

const run = async (id: string, text: string) => {
  const ends = async () => {
    const { events } = await server.client.sessions.events(id, { limit: 5000 })
    return events.filter(({ type }) => type === 'agent_end').length
  }
  const before = await ends()
  await server.client.sessions.prompt(id, text)
  await eventually(async () => expect(await ends()).toBe(before + 1))
}

test('sluice fork prints the id of a session that goes on from there', async () => {
  const { client } = server
  const { id: projectId } = await client.projects.create({
    ...{ name: 'P', path: directories.projects },
  })
  const budget = { limits: { costUsd: 5 } }
  const settings = { projectId, agent: 'pi', model: 'fake/fake-sonnet', name: 'Roses', budget }
  const source = await client.sessions.create(settings)
  const early = await at('fork', 'roses')
  expect(early).toMatchObject({ code: 2, stderr: expect.stringContaining('no conversation') })
  await run(source.id, 'scenario:text the word is quince')
  const { head } = await client.sessions.events(source.id)

  const forked = await at('fork', 'roses')
  expect(forked).toMatchObject({ code: 0, stderr: '' })
  const id = forked.stdout.trim()
  const fork = await client.sessions.get(id)
  expect(fork).toMatchObject({ forkedFrom: source.id, agent: 'pi', projectId, budget })
  expect(fork.name).toBeUndefined()
  expect(Object.keys(fork)).not.toContain('forkedNativeId')
  const named = await at('fork', source.id, '--name', ' Other ', '--json')
  expect(JSON.parse(named.stdout)).toMatchObject({ forkedFrom: source.id, name: 'Other' })

  await run(id, 'scenario:text go on')
  expect(model.requests.at(-1)?.body).toContain('quince')
  expect((await client.sessions.events(source.id)).head).toBe(head)
  const { totals } = await client.sessions.usage(id)
  expect(totals.costUsd).toBe((await client.sessions.usage(source.id)).totals.costUsd)
})

test.each([
  [['fork', 'nobody'], 'Session nobody does not exist.'],
  [['fork', 'nobody', '--name', ' '], 'The name is empty.'],
])('%j is refused', async (args, reason) => {
  expect(await at(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) })
})
