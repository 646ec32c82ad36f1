import { join } from 'node:path'
import { createAgentSource } from '../agent-config/agent-source.ts'
import type { AgentDescription } from '../agents/agent.ts'
import { type LimitOptions, quotasOf } from '../auth/limits/limits.ts'
import type { Bus, BusReport } from '../bus/bus.ts'
import { createLocalBus } from '../bus/local.ts'
import type { Actor, StampedEvent } from '../events/types.ts'
import { createNodeHistory, type NodeHistory } from '../history/node-history.ts'
import type { HookDesk } from '../hooks/hook-desk.ts'
import type { AgentContext } from '../http/app-context.ts'
import { createCreatorCheck } from '../http/loop-creators.ts'
import { releaseWorktree } from '../http/session-worktrees.ts'
import type { InterruptReason } from '../log/interrupt-reason.ts'
import type { Log } from '../log/log.ts'
import type { LoopRecord, LoopRunner, SessionRecord } from '../log/types.ts'
import { createLoops } from '../loop/runner/create-loops.ts'
import type { Loops } from '../loop/runner/loops.ts'
import type { PriceBook } from '../prices/price-book.ts'
import { createAgentCatalog } from '../process/agent-catalog.ts'
import { findAgent } from '../process/find-agent.ts'
import type { Sandbox } from '../process/sandbox.ts'
import { openSessions } from '../session/registry/open-sessions.ts'
import type { OwnershipListener } from '../session/registry/ownership.ts'
import { createRetention, type Retention } from '../session/registry/retention.ts'
import type { SessionLifecycleEvent, Sessions } from '../session/registry/sessions.ts'
import { createProjectRules } from '../session/rules/project-rules.ts'
import { Fault } from '../shared/fault.ts'
import { defined } from '../shared/fields.ts'
import { once } from '../shared/once.ts'
import { projectReaders } from '../trust/project-readers.ts'
import { createTrustedProjects } from '../trust/trusted-projects.ts'
import { createTurnDiffs } from '../turn-diff/turn-diffs.ts'
import { createTurnStarts } from '../turn-diff/turn-starts.ts'
import { createWatchedSessions } from '../watch/create-watched-sessions.ts'
import { createSessionClaims } from '../watch/session-claims.ts'
import type { WatchedSessions } from '../watch/watched-sessions.ts'
import type { JoinedNode } from './join-cluster.ts'
import { openHooks } from './open-hooks.ts'
import { type OutsideAgents, openOutsideAgents } from './outside-agents.ts'
import type { SluiceOptions } from './sluice.ts'

export interface AgentRuntimeOptions
  extends Omit<SluiceOptions, 'http' | 'roots' | 'sandbox' | 'onLoop'> {
  /** The limits of the server. Its quotas hold for the sessions of loops, too. */
  limits: LimitOptions | undefined
  log: Log
  sandbox: Sandbox
  /** Why the log failed in the last process, if it did. */
  lastFailure: InterruptReason | undefined
  /** Present when several nodes share the log. */
  node: JoinedNode | undefined
  onEvent(event: StampedEvent): void
  /** Receives stored events of long ago: only readers that follow their session need them. */
  onHistory(event: StampedEvent): void
  onLifecycle(event: SessionLifecycleEvent): void
  onLoop(loop: LoopRecord): void
  /** Whether agents in terminals can ask here: only while a server runs, for people to answer. */
  listensForHooks: boolean
  /** Which kind of program this is. A server resumes its own loops. */
  loopRunner: LoopRunner
  onError(cause: unknown): void
}

/** What works with agents and project directories. */
export interface AgentRuntime {
  readonly sessions: Sessions
  readonly loops: Loops
  readonly bus: Bus
  /** The sessions of agents that run outside Sluice. */
  readonly watched: WatchedSessions
  /** What the routes of the server need of it. */
  readonly context: AgentContext
  /** Stops the agents; closes the bus unless it came from outside. */
  close(): Promise<void>
}

/** Opens the sessions of a log, with the bus they publish on and the diffs of their turns. */
export const openAgentRuntime = async (options: AgentRuntimeOptions): Promise<AgentRuntime> => {
  const { data, log, node, sandbox, onError, onEvent, onLifecycle, policy = 'ask' } = options
  const bus = options.bus ?? (await openBus(options))
  const program = actorOf(options)
  const findProgram = allowedOnly(options.agents, options.findProgram ?? findAgent)
  const turnDiffs = createTurnDiffs({ directory: join(data, 'turns'), log, onError })
  const turnStarts = createTurnStarts({ log, turnDiffs, onError })
  const prices = once(() => loadPrices(data, onError))
  const priceList = async () => options.prices ?? prices()
  const trust = createTrustedProjects({ log, agents: projectReaders })
  const source = createAgentSource({ data, look: trust.look, acp: options.acp })
  let retention: Retention | undefined
  let outside: OutsideAgents | undefined
  const notify = (event: SessionLifecycleEvent): void => {
    for (const each of [retention, outside]) each?.onSession(event)
    onLifecycle(event)
  }
  const watched = createWatchedSessions({
    ...{ log, onError, notify, publish: onEvent, publishHistory: options.onHistory },
    claims: node && createSessionClaims({ log, ownership: node.cluster, onError }),
    prices: priceList,
  })
  let loops: Loops | undefined
  const history = openHistory(options)
  const sessions = await openSessions({
    ...{ log, data, sandbox, bus, policy, onError, findProgram },
    ...{ ownership: node?.cluster, agentOf: source.find, history },
    lastFailure: options.lastFailure,
    releaseDeleted: (record) => releaseDeleted(log, watched, record),
    onSession(event) {
      watched.onSession(event)
      notify(event)
    },
    publish(event) {
      for (const each of [turnStarts, loops, history]) each?.onEvent(event)
      onEvent(event)
    },
    projectRules: createProjectRules(join(data, 'policies.json')),
    prices: priceList,
    ...limitsOf(options),
    ...defined({ defaultActor: program }),
  })
  outside = openOutsideAgents({ ...options, watched, sessions, machines: node?.machines })
  loops = openLoops(options, sessions)
  node?.cluster.follow(loopListener(loops))
  retention = openRetention(options, sessions, turnDiffs.remove)
  const hooks = await openHooks({ ...options, watched, outside, rules: sessions.rules, program })
  node?.cluster.follow(terminalListener({ watched, hooks, outside, onError }))
  const names = defined({ names: options.agents })
  const catalog = createAgentCatalog({ sandbox: sandbox.info, source, ...names })
  return {
    ...{ sessions, loops, bus, watched },
    context: {
      ...{ sessions, takeover: outside.takeover, loops, turnDiffs, turnStarts, agents: catalog },
      ...{ nodes: node?.nodes, hooks, watching: outside.watching },
      ...(!options.prices && { prices }),
      clusterFigures: node && clusterFigures(node, history),
      retentionStatus: () => retention?.status(),
    },
    async close() {
      await hooks.close()
      await Promise.all([retention?.close(), outside?.close()])
      await watched.close()
      // Their sessions end below, and they resume at the next start.
      await Promise.all([loops?.close(), sessions.close()])
      history?.close()
      await turnDiffs.close()
      if (!options.bus) await bus.close()
    },
  }
}

/** Carries conversations between nodes, where that was chosen. */
const openHistory = ({ log, node, onError }: AgentRuntimeOptions): NodeHistory | undefined => {
  if (!node?.history) return undefined
  const { cluster, history: store } = node
  const options = { store, log, ownership: cluster, node: cluster.node, env: process.env, onError }
  return createNodeHistory(options)
}

const clusterFigures = (node: JoinedNode, history: NodeHistory | undefined) => async () => ({
  ...(await node.figures()),
  ...(history && { history: history.figures() }),
})

const releaseDeleted = async (
  log: Log,
  watched: WatchedSessions,
  record: SessionRecord,
): Promise<void> => {
  await watched.noteDeleted(record)
  // Of a session that a person removed, the worktree was dealt with then.
  if (record.removedAt === undefined) await releaseWorktree(log, record)
}

const openRetention = (
  { keep, log, node, onError }: AgentRuntimeOptions,
  sessions: Sessions,
  onDeleted: (sessionId: string) => Promise<void>,
): Retention | undefined => {
  // Of several nodes, one deletes.
  const isOn = () => node?.cluster.isHousekeeper() ?? true
  const retention = keep && createRetention({ keep, log, sessions, onError, onDeleted, isOn })
  retention?.start()
  return retention
}

const limitsOf = (options: AgentRuntimeOptions) =>
  defined({
    maxAgents: options.maxAgents,
    approvalMs: options.approvalTimeoutMs,
    fixedBudgets: options.budgets,
    idleMs: options.idleAfterMs,
  })

/** What the audit calls this program. */
const actorOf = ({ name }: Pick<AgentRuntimeOptions, 'name'>): Actor | undefined =>
  name === undefined ? undefined : { kind: 'local', id: name, name }

/** Loads the price list, which is large: with the first session that is used. */
const loadPrices = async (data: string, onError: (cause: unknown) => void): Promise<PriceBook> => {
  const { loadPriceBook } = await import('../prices/price-book.ts')
  return loadPriceBook(data, { onError })
}

const openLoops = (options: AgentRuntimeOptions, sessions: Sessions): Loops => {
  const { log, data, onLoop, onError } = options
  const { sessionsPerKey, diskBytesPerKey } = quotasOf(options.limits)
  return createLoops({
    ...{ log, data, sessions, onLoop, onError, now: Date.now },
    runner: options.loopRunner,
    ownership: options.node?.cluster,
    refusalFor: createCreatorCheck(log, { sessions: sessionsPerKey, diskBytes: diskBytesPerKey }),
    ...defined({ defaultActor: actorOf(options) }),
  })
}

/** What loops do when owners change. */
const loopListener = ({ adopt, abandon }: Loops): OwnershipListener => ({
  onOrphan: adopt,
  onLost: abandon,
  releaseIdle: async () => {},
  status: () => ({ sessions: 0, running: 0 }),
})

/** What agents in terminals are to this node when its lease is lost. They go on, without it. */
const terminalListener = ({
  watched,
  hooks,
  outside,
  onError,
}: {
  watched: Pick<WatchedSessions, 'abandon'>
  hooks: Pick<HookDesk, 'withdrawAll' | 'closeLeftovers'>
  outside: Pick<OutsideAgents, 'onJoined'>
  onError(cause: unknown): void
}): OwnershipListener => ({
  onOrphan: async () => {},
  async onLost() {
    watched.abandon()
    hooks.withdrawAll('The node has lost its lease. The agent asks in its terminal.')
  },
  onJoined() {
    hooks.closeLeftovers().catch(onError)
    outside.onJoined()
  },
  releaseIdle: async () => {},
  status: () => ({ sessions: 0, running: 0 }),
})

type FindProgram = (agent: AgentDescription) => string | undefined

/** Finds the programs of the allowed agents only. */
const allowedOnly = (allowed: readonly string[] | undefined, find: FindProgram): FindProgram => {
  if (!allowed) return (agent) => find(agent)
  return (agent) => {
    if (allowed.includes(agent.name)) return find(agent)
    const names = allowed.join(', ')
    throw new Fault('agent_not_found', `${agent.title} is not enabled here. Enabled: ${names}.`)
  }
}

/** A bus inside this process, or one that all nodes share. */
const openBus = async ({ nats, onError }: AgentRuntimeOptions): Promise<Bus> => {
  const busOptions = { onError: (report: BusReport) => onError(busError(report)) }
  if (!nats) return createLocalBus(busOptions)
  const { openNatsBus } = await import('../bus/nats/nats-bus.ts')
  const { servers, creds, tenant } = nats
  return openNatsBus({ ...busOptions, servers, creds, tenant })
}

const busError = (report: BusReport): unknown => {
  if ('error' in report) return report.error
  if (report.code === 'not_sent')
    return new Error(`Messages on ${report.subject} do not reach other nodes: ${report.reason}.`)
  const { pattern, limit } = report
  return new Error(`The subscriber to ${pattern} is ${limit} messages behind and was removed.`)
}
