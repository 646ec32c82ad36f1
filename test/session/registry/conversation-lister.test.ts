import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { gemini } from '../../../src/agents/gemini/index.ts'
import { pi } from '../../../src/agents/pi/index.ts'
import {
  type ConversationLister,
  createConversationLister,
} from '../../../src/session/registry/conversation-lister.ts'
import { acpLineCheck } from '../../support/acp-schema.ts'
import { createListingRig, listingEntry } from '../../support/listing-rig.ts'

let rig: ReturnType<typeof createListingRig>
let listers: ConversationLister[] = []
beforeEach(() => {
  rig = createListingRig()
  listers = []
})
afterEach(async () => {
  for (const each of listers) await each.close()
  rig.remove()
})

const openLister = (way: string, deadlineMs?: number): ConversationLister => {
  const lister = createConversationLister(
    {
      agentOf: async (name) =>
        name === 'gemini' ? { ...gemini, load: async () => gemini } : listingEntry(way),
      findProgram: () => process.execPath,
      trust: { start: async () => ({ args: [], key: '', leftOut: [] }) },
      markKey: 1,
      env: rig.env,
      onError(cause) {
        throw cause
      },
    },
    deadlineMs,
  )
  listers.push(lister)
  return lister
}

const list = (way: string, deadlineMs?: number, wanted?: string) =>
  openLister(way, deadlineMs).list({ agent: 'lister', cwd: rig.directory, wanted })

const noneIsLeft = async () => {
  for (const each of listers) await each.close()
  expect(rig.pids()).not.toEqual([])
  expect(rig.alive()).toEqual([])
}

test('lists all pages, the newest first, and leaves no process behind', async () => {
  const { conversations, hasMore, canContinue } = await list('pages 3')
  expect(conversations.map(({ id }) => id)).toEqual(['c6', 'c5', 'c4', 'c3', 'c2', 'c1'])
  expect(conversations[0]).toEqual({ id: 'c6', title: 'Talk 6', updatedAt: Date.UTC(2026, 0, 6) })
  expect({ hasMore, canContinue }).toEqual({ hasMore: false, canContinue: true })
  await noneIsLeft()
})

test('sends what the official schema allows, and opens no session', async () => {
  await list('pages 2')
  const problemsOf = acpLineCheck()
  const written = rig.requests()
  for (const line of written) expect(problemsOf(line, 'client'), JSON.stringify(line)).toEqual([])
  expect(written.flatMap(({ method }) => method ?? [])).toEqual([
    'initialize',
    'session/list',
    'session/list',
  ])
  expect(written.find(({ method }) => method === 'session/list').params).toEqual({
    cwd: rig.directory,
  })
  // Whatever the agent requests meanwhile is refused.
  expect(written.find(({ id }) => id === 'own').error.code).toBe(-32_601)
})

test('stops at the conversation that is wanted', async () => {
  const { conversations, hasMore } = await list('pages 9', undefined, 'c3')
  expect(conversations.map(({ id }) => id)).toEqual(['c4', 'c3', 'c2', 'c1'])
  expect(hasMore).toBe(true)
})

test.each([
  ['endless', 50],
  ['repeated', 2],
])('an agent whose cursor is %s is asked %d times', async (way, times) => {
  const { conversations, hasMore } = await list(way)
  expect(conversations.map(({ id }) => id)).toEqual(['c1'])
  expect(hasMore).toBe(true)
  expect(rig.requests().filter(({ method }) => method === 'session/list')).toHaveLength(times)
})

test('a list ends at 1000 conversations', async () => {
  const { conversations, hasMore } = await list('many')
  expect([conversations.length, hasMore]).toEqual([1000, true])
})

test('odd items are left out or shortened, and titles control nothing', async () => {
  const { conversations } = await list('odd')
  expect(conversations.map(({ id }) => id)).toEqual(['hostile', 'long', 'bare', 'slash'])
  expect(conversations[0]?.title).toBe('a ]0;b c d')
  expect(conversations[1]?.title).toHaveLength(200)
  expect(conversations.slice(2)).toEqual([{ id: 'bare' }, { id: 'slash' }])
})

test('an answer that is no list is an empty list', async () => {
  expect(await list('garbage')).toMatchObject({ conversations: [], hasMore: false })
})

test('the directory counts by its real path, too', async () => {
  const link = join(rig.directory, 'link')
  symlinkSync(rig.directory, link)
  const { conversations } = await openLister('pages 1').list({ agent: 'lister', cwd: link })
  expect(conversations).toHaveLength(2)
})

test('an agent that does not announce it is refused by name', async () => {
  const message = 'Lister does not list its conversations.'
  await expect(list('none')).rejects.toMatchObject({ code: 'start_not_supported', message })
  await noneIsLeft()
})

test('an agent that is known not to list is not even started', async () => {
  const { list: ask } = openLister('pages 1')
  await expect(ask({ agent: 'gemini', cwd: rig.directory })).rejects.toMatchObject({
    code: 'start_not_supported',
    message: 'Gemini CLI does not list its conversations.',
  })
  expect(rig.pids()).toEqual([])
  expect(pi.live?.listConversations).toBeUndefined()
})

test('an agent that dies is reported with what it printed', async () => {
  const message = expect.stringMatching(/^Lister exited with code 3\.\nThe database is locked\.$/)
  await expect(list('dies')).rejects.toMatchObject({ code: 'agent_not_started', message })
  await noneIsLeft()
})

test('an agent that needs a login says how', async () => {
  const message = expect.stringMatching(/^Lister needs a login \(Authentication required\)/)
  await expect(list('login')).rejects.toMatchObject({ code: 'agent_not_started', message })
})

test.each(['silent', 'flood', 'stuck'])(
  'an agent that is %s is given up at the deadline, and ended',
  async (way) => {
    const message = 'Lister has not listed its conversations within 1 s.'
    await expect(list(way, 1000)).rejects.toMatchObject({ code: 'agent_not_started', message })
    await noneIsLeft()
  },
)

test('what was listed before the agent fell silent is returned', async () => {
  const { conversations, hasMore } = await list('late', 1500)
  expect([conversations.length, hasMore]).toEqual([2, true])
})

test('closing ends a listing at once, and refuses further ones', async () => {
  const lister = openLister('silent')
  const listing = lister.list({ agent: 'lister', cwd: rig.directory })
  const refused = expect(listing).rejects.toMatchObject({ message: 'Sluice is shutting down.' })
  await expect.poll(() => rig.requests().length).toBeGreaterThan(1)
  await lister.close()
  await refused
  expect(rig.alive()).toEqual([])
  await expect(lister.list({ agent: 'lister', cwd: rig.directory })).rejects.toThrow(
    'shutting down',
  )
})

test('the same list is requested once, and only a few at a time', async () => {
  const lister = openLister('silent', 3000)
  const wait = (cwd: string, wanted?: string) => lister.list({ agent: 'lister', cwd, wanted })
  const first = ['a', 'a', 'b', 'c', 'd'].map((wanted) => wait(rig.directory, wanted))
  const settled = Promise.allSettled(first)
  await expect(wait(rig.directory, 'e')).rejects.toMatchObject({ code: 'too_many_sessions' })
  await expect.poll(() => rig.pids().length).toBe(4)
  await lister.close()
  expect((await settled).map(({ status }) => status)).toEqual(Array(5).fill('rejected'))
})
