import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { startPiServer } from '../../support/pi-server.ts'
import { sluice } from '../../support/sluice.ts'

let rig: Awaited<ReturnType<typeof startPiServer>>

beforeAll(async () => {
  rig = await startPiServer()
})
afterAll(() => rig.close())

const at = (...args: string[]) => sluice([...args, '--data', rig.directories.data])

const run = async (id: string, text: string) => {
  const ends = async () => {
    const { events } = await rig.server.client.sessions.events(id, { limit: 5000 })
    return events.filter(({ type }) => type === 'agent_end').length
  }
  const before = await ends()
  await rig.server.client.sessions.prompt(id, text)
  await eventually(async () => expect(await ends()).toBe(before + 1))
}

test('sluice fork prints the id of a session that goes on from there', async () => {
  const { client } = rig.server
  const { id: projectId } = await client.projects.create({
    ...{ name: 'P', path: rig.directories.projects },
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

  const earlier = await at('fork', source.id, '--before', 'QUINCE', '--json')
  expect(earlier).toMatchObject({ code: 0, stderr: '' })
  const { id: earlierId, forkedBefore } = JSON.parse(earlier.stdout)
  expect(await at('fork', source.id, '--before', 'pear')).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining('has no message “pear”') },
  })
  const { messages } = await client.sessions.messages(source.id)
  expect(messages[0]).toMatchObject({ role: 'user', messageId: forkedBefore })
  const { sessions } = await client.sessions.list({ forkedFrom: source.id })
  expect(sessions.map((each) => each.id)).toEqual(expect.arrayContaining([id, earlierId]))
  expect(await at('rewind', source.id, '--before', 'last')).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining('Pi does not support restoring files.') },
  })

  await run(id, 'scenario:text go on')
  expect(rig.model.requests.at(-1)?.body).toContain('quince')
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
