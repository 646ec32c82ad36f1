import { chmodSync, globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kvm } from '@nats-io/kv'
import { connect } from '@nats-io/transport-node'
import { expect, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { SessionInfo } from '../../src/api/types.ts'
import { recordKeys } from '../../src/log/jetstream/record-keys.ts'
import { storedHistory } from '../../src/log/stored-history.ts'
import type { LiveAgent } from '../agents/live-agents.ts'
import type { AgentSetup, FoundSetup } from '../agents/sandbox.ts'
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
  start(
    name: string,
    options?: { args?: readonly string[] | undefined; like?: AgentNode },
  ): Promise<AgentNode>
  create(node: AgentNode): Promise<SessionInfo>
  /** Resolves when everything that the agent has written on a node is stored. */
  untilStored(node: AgentNode, sessionId: string): Promise<void>
  /** Prompts a session through a node. Resolves when the run is over, with what the model got for it. */
  prompt(node: AgentNode, sessionId: string, text: string): Promise<Prompted>
}

export interface Prompted {
  /** The body of the last request of the run. */
  request: string
  /** The notices of the run. */
  notices: string[]
}

/** How a record is wrapped in the bucket. */
const entryText = z.object({ v: z.string().optional() })

export const createHistoryRig = async (
  nats: NatsCluster,
  { agent, model: modelName, setUp }: LiveAgent,
): Promise<HistoryRig> => {
  const nodes = createTestNodes(nats)
  const model = await startModel()
  onTestFinished(() => model.close())
  const setups = new Map<AgentNode, AgentSetup & { data: string }>()

  const start: HistoryRig['start'] = async (name, { args = ['--history'], like } = {}) => {
    const known = like && setups.get(like)
    const setup = known ?? { ...setUpAgent(setUp(model.url)), data: dataDirectory() }
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
        ...{ agent: agent.name, model: modelName },
      })
    },
    async untilStored(node, sessionId) {
      const connection = await connect({ servers: [...nats.urls] })
      const bucket = await new Kvm(connection).open(`sluice_${nodes.tenant}`)
      const stored = async () => {
        const entry = await bucket.get(recordKeys.history(sessionId))
        const { v } = entryText.parse(entry ? entry.json() : {})
        const { files = [] } = v === undefined ? {} : storedHistory.parse(JSON.parse(v))
        const [main] = files
        const here = readdirSync(node.home, { recursive: true, encoding: 'utf8' }).find((path) =>
          path.endsWith(main?.path ?? '?'),
        )
        return here !== undefined && statSync(join(node.home, here)).size === main?.bytes
      }
      await expect.poll(stored, { timeout: 20_000 }).toBe(true)
      await connection.close()
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

const setUpAgent = (found: FoundSetup): AgentSetup => {
  if (!found.setup) throw new Error(found.reason)
  return found.setup
}

const dataDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-history-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  mkdirSync(join(directory, 'data'))
  chmodSync(join(directory, 'data'), 0o700)
  return join(directory, 'data')
}
