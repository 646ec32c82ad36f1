import { chmodSync, globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { SessionInfo } from '../../src/api/types.ts'
import type { AgentSetup } from '../agents/sandbox.ts'
import {
  createTestNodes,
  type Reader,
  readSession,
  type TestNodes,
} from '../cluster/start-nodes.ts'
import { type Model, startModel } from '../model/server.ts'
import { agentProgram } from '../support/agent-program.ts'
import type { NatsCluster } from '../support/nats-server.ts'
import type { ServerProcess } from '../support/server-process.ts'

/** An agent for nodes: each node has a home of its own. */
export interface CarriedAgent {
  readonly name: string
  readonly model: string
  /** The variable that names its program. */
  readonly programVariable: string
  setUp(modelUrl: string): AgentSetup
}

/** A node with an agent that shares nothing with those of other nodes but the model. */
export interface AgentNode {
  readonly server: ServerProcess
  /** The home of the agent. */
  readonly home: string
  /** Paths below the home. */
  files(pattern: string): string[]
}

export interface HistoryRig {
  readonly model: Model
  readonly nodes: TestNodes
  /** Starts a node; again with the same home if `like` is given. */
  start(name: string, options?: { args?: readonly string[]; like?: AgentNode }): Promise<AgentNode>
  create(node: AgentNode): Promise<SessionInfo>
  /** Resolves when a node has stored something new of a conversation since the last call. */
  untilStored(node: AgentNode): Promise<void>
  /** Prompts a session through a node. Resolves when the run is over, with what the model got for it. */
  prompt(node: AgentNode, sessionId: string, text: string): Promise<Prompted>
}

export interface Prompted {
  /** The body of the last request of the run. */
  request: string
  /** The notices of the run. */
  notices: string[]
}

export const createHistoryRig = async (
  nats: NatsCluster,
  agent: CarriedAgent,
): Promise<HistoryRig> => {
  const nodes = createTestNodes(nats)
  const model = await startModel()
  onTestFinished(() => model.close())
  const setups = new Map<AgentNode, AgentSetup & { data: string }>()

  const start: HistoryRig['start'] = async (name, { args = ['--history'], like } = {}) => {
    const known = like && setups.get(like)
    const setup = known ?? { ...agent.setUp(model.url), data: dataDirectory() }
    if (!known) onTestFinished(setup.remove)
    const env = { ...setup.env, [agent.programVariable]: agentProgram(setup) }
    const server = await nodes.start(name, {
      ...{ env, data: setup.data },
      args: ['--lease', '3s', '--approve', 'allow', ...args],
    })
    const home = setup.env.HOME ?? ''
    const node: AgentNode = {
      ...{ server, home },
      files: (pattern) => globSync(pattern, { cwd: home }).toSorted(),
    }
    setups.set(node, setup)
    return node
  }
  const storedBefore = new Map<AgentNode, number>()
  const readers = new Map<AgentNode, Map<string, Reader>>()
  const readerOf = (node: AgentNode, id: string): Reader => {
    const own = readers.get(node) ?? new Map<string, Reader>()
    readers.set(node, own)
    const reader = own.get(id) ?? readSession(node.server, id)
    own.set(id, reader)
    return reader
  }

  return {
    ...{ model, nodes, start },
    async create({ server: { client } }) {
      const project = await client.projects.create({ name: 'p', path: nodes.projects })
      return client.sessions.create({
        projectId: project.id,
        ...{ agent: agent.name, model: agent.model },
      })
    },
    async untilStored(node) {
      const before = storedBefore.get(node) ?? 0
      const stored = async () => (await metricsOf(node)).get('sluice_history_stored_total') ?? 0
      await expect.poll(stored, { timeout: 20_000 }).toBeGreaterThan(before)
      storedBefore.set(node, await stored())
    },
    async prompt(node, sessionId, text) {
      const { client } = node.server
      const { events } = await client.sessions.events(sessionId, { limit: 5000 })
      const before = events.length
      const reader = readerOf(node, sessionId)
      const requests = model.requests.length
      const result = await client.sessions.prompt(sessionId, text)
      if (result.outcome !== 'accepted') throw new Error(JSON.stringify(result))
      await reader.next('agent_end', before)
      const answered = model.requests.slice(requests).filter(({ kind }) => kind !== undefined)
      const notices = reader.events
        .slice(before)
        .flatMap((event) => (event.type === 'session_update' ? (event.notice?.text ?? []) : []))
      return { request: answered.at(-1)?.body ?? '', notices }
    },
  }
}

const dataDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-history-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  mkdirSync(join(directory, 'data'))
  chmodSync(join(directory, 'data'), 0o700)
  return join(directory, 'data')
}

/** The metrics of a node, by name and labels. */
export const metricsOf = async ({ server }: AgentNode): Promise<Map<string, number>> => {
  const response = await fetch(`${server.url}/metrics`, {
    headers: { Authorization: `Bearer ${server.token}` },
  })
  const lines = (await response.text()).split('\n').filter((line) => !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))] as const
    }),
  )
}
