import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ApiError } from '../../src/client/api-error.ts'
import { type Client, createClient } from '../../src/client/client.ts'
import type { StampedEvent } from '../../src/events/types.ts'
import { type NatsCluster, natsMissing, startNats } from '../support/nats-server.ts'
import { createServerDirectories, type ServerProcess } from '../support/server-process.ts'
import {
  type EarlierVersion,
  earlierVersionMissing,
  unpackEarlierVersion,
} from './earlier-version.ts'
import { createTestNodes, readSession, type TestNodes } from './start-nodes.ts'

const missing = natsMissing() ?? earlierVersionMissing()
if (missing !== undefined) console.log(`skipped: nodes of two versions: ${missing}`)

const names = ['one', 'two', 'three']

/** Nodes by name, which can be replaced by another version. */
interface Fleet {
  readonly running: ReadonlyMap<string, ServerProcess>
  /** A client with the same key for a node. */
  client(name: string): Client
  start(name: string, main?: string): Promise<void>
  /** Lets its runs finish, and stops it. */
  drainAndStop(name: string): Promise<void>
}

const createFleet = (nodes: TestNodes): Fleet => {
  const running = new Map<string, ServerProcess>()
  const data = new Map<string, string>()
  let token = ''
  const client = (name: string) => createClient({ url: running.get(name)?.url ?? '', token })
  return {
    running,
    client,
    async start(name, main) {
      const directories = createServerDirectories()
      onTestFinished(() => directories.remove())
      data.set(name, data.get(name) ?? directories.data)
      const node = await nodes.start(name, {
        ...{ data: data.get(name) ?? '', args: ['--lease', '5s'] },
        ...(main !== undefined && { main }),
        env: { ...process.env, SLUICE_DEMO_PACE: '1' },
      })
      if (token === '') token = node.token
      running.set(name, node)
    },
    async drainAndStop(name) {
      const other = names.find((each) => each !== name && running.has(each)) ?? name
      await client(other).nodes.update(name, { state: 'draining' })
      const left = async () => {
        const list = await client(other).nodes.list()
        return list.nodes.find((each) => each.name === name)?.sessions
      }
      await expect.poll(left).toBe(0)
      const node = running.get(name)
      running.delete(name)
      expect(await node?.stop()).toBe(0)
    },
  }
}

/** Prompts a session again and again through any node, until it is stopped. */
const keepPrompting = (fleet: Fleet, sessionId: string) => {
  const accepted: string[] = []
  const isOver = new AbortController()
  let resumed: PromiseWithResolvers<void> | undefined
  const sendOnce = async (text: string): Promise<boolean> => {
    const [name = ''] = [...fleet.running.keys()].sort(() => Math.random() - 0.5)
    try {
      const options = { idempotencyKey: text }
      await fleet.client(name).sessions.prompt(sessionId, text, options)
      return true
    } catch (cause) {
      // A node that is stopped at this moment, a session that moves, or a run that another node has
      // not seen yet: the client sends it again.
      if (!(cause instanceof ApiError)) throw cause
      const isLater = cause.status === 0 || cause.status >= 500 || cause.code === 'agent_busy'
      if (!isLater) throw cause
      return false
    }
  }
  const isIdle = async (): Promise<boolean> => {
    const [name = ''] = fleet.running.keys()
    const state = await fleet
      .client(name)
      .sessions.get(sessionId)
      .catch(() => undefined)
    return state?.state === 'idle'
  }
  const work = async (): Promise<void> => {
    for (let count = 1; !isOver.signal.aborted; count += 1) {
      const text = `think about ${sessionId} ${count}`
      while (!(await sendOnce(text))) await pause(50)
      accepted.push(text)
      while (!(await isIdle())) await pause(50)
      await resumed?.promise
    }
  }
  const working = work()
  return {
    accepted,
    /** Sends no new prompt until `resume`. */
    hold() {
      resumed = Promise.withResolvers()
    },
    resume() {
      resumed?.resolve()
      resumed = undefined
    },
    async stop() {
      isOver.abort()
      await working
    },
  }
}

const allEvents = async (client: Client, sessionId: string): Promise<StampedEvent[]> => {
  const all: StampedEvent[] = []
  let next: string | undefined
  do {
    const page = await client.sessions.events(sessionId, { ...(next && { after: next }) })
    all.push(...page.events)
    next = page.next
  } while (next !== undefined)
  return all
}

const promptsIn = (events: readonly StampedEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type !== 'message_end' || event.message.role !== 'user') return []
    return [
      event.message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    ]
  })

describe.skipIf(missing !== undefined)('nodes of two versions', () => {
  let nats: NatsCluster
  let earlier: EarlierVersion
  beforeAll(async () => {
    nats = await startNats()
    earlier = unpackEarlierVersion()
  })
  afterAll(async () => {
    await nats.stop()
    earlier.remove()
  })

  test('work together while each node is upgraded, and lose or repeat nothing', async () => {
    const nodes = createTestNodes(nats)
    const fleet = createFleet(nodes)
    await Promise.all(names.map((name) => fleet.start(name, earlier.main)))
    const first = fleet.client('one')
    const project = await first.projects.create({ name: 'p', path: nodes.projects })
    const create = (name: string) =>
      fleet.client(name).sessions.create({ projectId: project.id, agent: 'demo' })
    const sessions = await Promise.all(names.map(create))
    const prompting = sessions.map(({ id }) => keepPrompting(fleet, id))
    const counts = () => prompting.map(({ accepted }) => accepted.length)
    const allWork = async (): Promise<void> => {
      const before = counts()
      await expect
        .poll(() => counts().every((count, at) => count >= (before[at] ?? 0) + 2), {
          timeout: 60_000,
        })
        .toBe(true)
    }
    await allWork()
    for (const name of names) {
      // The earlier version does not let go of a session that never rests.
      for (const { hold } of prompting) hold()
      await fleet.drainAndStop(name)
      for (const { resume } of prompting) resume()
      await allWork()
      await fleet.start(name)
      await allWork()
      await expectBothWays(fleet, project.id)
    }
    await Promise.all(prompting.map(({ stop }) => stop()))
    for (const [at, { id }] of sessions.entries()) {
      const [events = [], ...others] = await Promise.all(
        names.map((name) => allEvents(fleet.client(name), id)),
      )
      for (const other of others) expect(other).toEqual(events)
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
      expect(promptsIn(events)).toEqual(prompting[at]?.accepted)
    }
  }, 300_000)
})

/** A session of each node is followed and approved at another, and keys are valid and revoked everywhere. */
const expectBothWays = async (fleet: Fleet, projectId: string): Promise<void> => {
  for (const [at, name] of names.entries()) {
    const here = fleet.client(name)
    const other = fleet.client(names[(at + 1) % names.length] ?? '')
    const { id } = await here.sessions.create({ projectId, agent: 'demo' })
    const reader = readSession({ client: other }, id)
    await other.sessions.prompt(id, 'tool')
    const { approvalId } = await reader.next('approval_request')
    expect(await other.approvals.answer(approvalId, { action: 'allow' })).toMatchObject({
      outcome: 'answered',
    })
    await reader.next('agent_end')
    reader.check()
    reader.stop()
    const { key, id: keyId } = await here.keys.create({ name: 'k', scopes: ['read'] })
    const withKey = createClient({ url: fleet.running.get(name)?.url ?? '', token: key })
    expect(await withKey.sessions.get(id)).toMatchObject({ id })
    await other.keys.revoke(keyId)
    await expect
      .poll(() =>
        withKey.sessions.get(id).then(
          () => 200,
          (cause: ApiError) => cause.status,
        ),
      )
      .toBe(401)
  }
}
