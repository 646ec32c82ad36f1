import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAgentSource } from '../../../src/agent-config/agent-source.ts'
import type { StampedEvent } from '../../../src/events/types.ts'
import { openMemoryLog } from '../../../src/log/index.ts'
import { openSessions } from '../../../src/session/registry/open-sessions.ts'
import type { Sessions } from '../../../src/session/registry/sessions.ts'
import { ofType } from '../../support/decoded.ts'
import { createListingRig, listingAgent, listingEntry } from '../../support/listing-rig.ts'

let rig: ReturnType<typeof createListingRig>
let opened: Sessions | undefined
beforeEach(() => {
  rig = createListingRig()
})
afterEach(async () => {
  await opened?.close()
  rig.remove()
})

const openAll = async (way: string, more: object = {}) => {
  const log = await openMemoryLog()
  const published: StampedEvent[] = []
  const sessions = await openSessions({
    log,
    env: rig.env,
    findProgram: () => process.execPath,
    agentOf: async () => listingEntry(way),
    publish: (event) => published.push(event),
    ...more,
  })
  opened = sessions
  return { log, sessions, published }
}

test('a session continues a conversation, and later processes as well', async () => {
  const { log, sessions, published } = await openAll('pages 2')
  const options = { agent: 'lister', cwd: rig.directory, conversationId: 'c3' }
  const { record, session } = await sessions.create(options)
  expect(record).toMatchObject({ title: 'Talk 3', continuedNativeId: 'c3' })
  await session.prompt('Where are you?')
  await session.idle()
  await session.stop('stopped')
  await session.prompt('And now?')
  await session.idle()
  const texts = ofType(published, 'message_end').map(({ message }) => JSON.stringify(message))
  expect(texts.filter((text) => text.includes('I am in c3.'))).toHaveLength(2)
  const notices = ofType(published, 'session_update').flatMap(({ notice }) => notice?.text ?? [])
  expect(notices).toEqual([
    'Continues conversation c3 of Lister. Its earlier messages are not shown here.',
  ])
  expect(await log.sessions.get(record.id)).toMatchObject({ nativeId: 'c3', title: 'Talk 3' })
})

test('two sessions cannot have the same conversation, also before the first prompt', async () => {
  const { sessions } = await openAll('pages 2')
  const options = { agent: 'lister', cwd: rig.directory, conversationId: 'c3' }
  await sessions.create(options)
  await expect(sessions.create(options)).rejects.toMatchObject({ code: 'conversation_in_use' })
})

test('of two requests at once for the same conversation, one gets it', async () => {
  const { sessions } = await openAll('pages 2')
  const options = { agent: 'lister', cwd: rig.directory, conversationId: 'c3' }
  const both = await Promise.allSettled([sessions.create(options), sessions.create(options)])
  expect(both).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 'conversation_in_use' } },
  ])
  expect(await sessions.list()).toHaveLength(1)
})

test('a conversation of another directory, or that does not exist, creates no session', async () => {
  const { sessions } = await openAll('odd')
  for (const conversationId of ['elsewhere', 'c99'])
    await expect(
      sessions.create({ agent: 'lister', cwd: rig.directory, conversationId }),
    ).rejects.toMatchObject({ code: 'unknown_conversation' })
  expect(await sessions.list()).toEqual([])
})

test('an agent that cannot continue conversations creates no session', async () => {
  const { sessions } = await openAll('no-resume')
  await expect(
    sessions.create({ agent: 'lister', cwd: rig.directory, conversationId: 'c1' }),
  ).rejects.toMatchObject({ code: 'start_not_supported' })
})

test('a conversation that is gone when the agent starts fails, instead of starting anew', async () => {
  const { sessions } = await openAll('forgets')
  const options = { agent: 'lister', cwd: rig.directory, conversationId: 'c1' }
  const { session } = await sessions.create(options)
  expect(await session.prompt('Hello')).toMatchObject({
    outcome: 'refused',
    error: 'Lister does not have the conversation c1 any more.',
  })
  expect(rig.requests().some(({ method }) => method === 'session/load')).toBe(true)
  expect(rig.requests().some(({ method }) => method === 'session/new')).toBe(false)
})

test('an agent that an untrusted project names is not started to list', async () => {
  mkdirSync(join(rig.directory, '.sluice'))
  const agents = [{ name: 'lister', command: [process.execPath, listingAgent] }]
  writeFileSync(join(rig.directory, '.sluice/agents.json'), JSON.stringify({ agents }))
  const look = async () => ({ state: 'undecided' as const, hash: 'h' })
  const { find: agentOf } = createAgentSource({ look })
  const { sessions } = await openAll('pages 1', { agentOf })
  const wanted = { agent: 'lister', cwd: rig.directory }
  await expect(sessions.conversations(wanted)).rejects.toMatchObject({
    code: 'project_not_trusted',
  })
  await expect(sessions.create({ ...wanted, conversationId: 'c1' })).rejects.toMatchObject({
    code: 'project_not_trusted',
  })
  expect(rig.pids()).toEqual([])
})
