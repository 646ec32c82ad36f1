import { resolve } from 'node:path'
import type { AgentDescription, AgentEntry } from '../agents/agent.ts'
import type { SandboxInfo } from '../api/types.ts'
import type { Bus } from '../bus/bus.ts'
import type { ApprovalMode, LoopInfo, StampedEvent } from '../events/types.ts'
import { realTargetOf } from '../files/real-path.ts'
import type { Prices } from '../ledger/prices.ts'
import { type InterruptReason, statusInterruption } from '../log/interrupt-reason.ts'
import type { Log } from '../log/log.ts'
import type { LogStatus } from '../log/log-status.ts'
import { loopInfoOf, loopSummaryOf } from '../log/loop-info.ts'
import type { MinFree } from '../log/sqlite/disk-watch.ts'
import type { Loops } from '../loop/runner/loops.ts'
import { defaultData } from '../process/default-data.ts'
import { openSandbox, type Sandbox, type SandboxMode } from '../process/sandbox.ts'
import type { FixedBudget } from '../session/budgets/budget-book.ts'
import type { KeepLimits } from '../session/registry/retention.ts'
import type { Sessions } from '../session/registry/sessions.ts'
import { type Once, once } from '../shared/once.ts'
import type { WatchedSessions } from '../watch/watched-sessions.ts'
import type { AgentRuntime } from './agent-runtime.ts'
import { createFailureNote } from './failure-note.ts'
import {
  checkHttpOptions,
  type HttpOptions,
  type HttpServer,
  type OwnedHttpServer,
  openHttpServer,
} from './http-server.ts'
import type { JoinedNode } from './join-cluster.ts'
import type { Durability } from './open-log.ts'
import type { NatsSettings } from './open-nats-log.ts'
import { openSharedLog } from './open-shared-log.ts'

/** Options of `openSluice`. Only `data` is required. */
export interface SluiceOptions {
  /**
   * Directory for the log and the hashes of keys. It is created when it does not exist. Only
   * one process at a time can open it.
   */
  data: string
  /** Agents that sessions may use. Default: every agent that Sluice supports. */
  agents?: readonly string[] | undefined
  /** What the agent `acp` is: a program that speaks the Agent Client Protocol. */
  acp?: AgentEntry | undefined
  /** Returns the path of an agent’s program. Default: its variable (such as `PI_BIN`), then PATH. */
  findProgram?(agent: AgentDescription): string | undefined
  /** What the audit and events call this program. Default: `program` in the audit. */
  name?: string | undefined
  /**
   * What happens before a tool runs, if no rule covers the call: `ask` (default), `allow-reads`,
   * `allow-edits`, `allow` or `deny`.
   */
  policy?: ApprovalMode | undefined
  /** How long an approval waits before it is denied. Default: until somebody answers. */
  approvalTimeoutMs?: number | undefined
  /** Limits that hold for every session or day, beside those that are stored. Default: none. */
  budgets?: readonly FixedBudget[] | undefined
  /** An agent without work is ended after this time. Default: 15 minutes. */
  idleAfterMs?: number | undefined
  /** `full` (default): stored events survive a power cut. `normal`: a crash of the process. */
  durability?: Durability | undefined
  /**
   * Deletes sessions that were not used for long, or for longest when the log is too large. Sessions that
   * are pinned, running or waiting stay. Default: everything is kept.
   */
  keep?: KeepLimits | undefined
  /**
   * How many bytes of the disk must stay free; with less, agents are stopped and new work is refused.
   * Default: `auto`, which is 256 MB, or 5 % of a smaller disk.
   */
  minFree?: MinFree | undefined
  /**
   * A NATS cluster that stores everything instead of the data directory, so that several nodes serve
   * the same sessions. `durability` and `minFree` then have no effect.
   */
  nats?: NatsSettings | undefined
  /** How many agents may run at once. Default: 16. */
  maxAgents?: number | undefined
  /** Starts an HTTP server on this data directory. Without it there is no server. */
  http?: HttpOptions | undefined
  /** Directories below which HTTP clients may create projects. Default: home and the current one. */
  roots?: readonly string[] | undefined
  /**
   * Whether agents run in a sandbox: `auto` (default) where bubblewrap works, `on` always, `project`
   * with nothing writable outside the project, `off` never.
   */
  sandbox?: SandboxMode | undefined
  /**
   * Prices of models, for agents that report no cost. Default: the price list that Sluice contains, and
   * your own prices from `prices.json` in the data directory.
   */
  prices?: Prices | undefined
  /** Whether the sessions that agents store on this machine are read and followed. Default: false. */
  watch?: boolean | undefined
  /** The bus to publish on. Default: one inside this process, or with `nats` one of all nodes; `close` closes it. */
  bus?: Bus | undefined
  /**
   * Whether this program is a server that resumes its loops by itself when it starts. Default: true
   * with `http`. With false, a loop that this program leaves must be resumed by hand.
   */
  resumeLoops?: boolean | undefined
  /** Called when a loop was created or changed. */
  onLoop?(loop: LoopInfo): void
  /** Receives every event once it is stored, in order for each session. */
  onEvent?(event: StampedEvent): void
  /**
   * Called when the log can no longer store events, or can again. After `failed`, nothing is stored
   * until the data directory is opened again: end the process, or close Sluice and open it again.
   */
  onStatus?(status: LogStatus): void
  /** Receives what people should know about nodes, such as a lost lease. Default: `onError`. */
  onNotice?(message: string): void
  /** Receives unexpected errors, such as a failed write. Default: a Node.js warning. */
  onError?(cause: unknown): void
  /** Abort it to give up opening; `openSluice` then closes what it opened and rejects. */
  signal?: AbortSignal | undefined
}

/** Everything that runs on one data directory. */
export interface Sluice {
  /** Creates, finds and removes sessions. */
  readonly sessions: Sessions
  /** Starts, pauses and stops loops: agents that work on the same prompt again and again. */
  readonly loops: Loops
  /** Publishes what happens by subject, and can be asked for approvals. */
  readonly bus: Bus
  /** The sessions of agents that run outside Sluice, by the agents’ own ids. */
  readonly watched: WatchedSessions
  /** The durable log: events, records, blobs, approvals and keys. */
  readonly log: Log
  /** Whether agents run in a sandbox, and why not. */
  readonly sandbox: SandboxInfo
  /** The HTTP server; absent without the `http` option. */
  readonly server?: HttpServer
  /** Refuses new work over HTTP, and resolves when no agent works any more. */
  finish(): Promise<void>
  /** Kills every agent and what it started, at once. Nothing can start afterwards. */
  kill(): void
  /** Stops the agents, ends the streams, and closes the log, in this order. Safe to call twice. */
  close(): Promise<void>
  /** What `close` waits for now; undefined before and after. */
  closing(): ClosingStage | undefined
}

/** The steps of `close`. */
export type ClosingStage = 'agents' | 'connections' | 'log'

/**
 * Opens a data directory with everything that Sluice is made of: the log, the sessions, the bus and,
 * with `http`, the server. The server listens before the agents are loaded, so that readers get their
 * streams back at once after a restart.
 */
export const openSluice = async (given: SluiceOptions): Promise<Sluice> => {
  // Resolved once: an agent could lead a link elsewhere, and bring rules of its own.
  const options = { ...given, data: realTargetOf(resolve(given.data)) ?? given.data }
  const { http, signal, onError = warn } = options
  if (http) checkHttpOptions(http)
  // Who has the credentials can write what everybody believes, such as keys and approvals.
  const hidden = [options.data, defaultData(), options.nats?.creds ?? []].flat()
  const sandbox = openSandbox({ mode: options.sandbox, hidden })
  // Without the sandbox that was required, nothing is opened.
  if (options.sandbox === 'on' || options.sandbox === 'project') await sandbox
  let server: OwnedHttpServer | undefined
  const opened = await openSharedLog({ ...options, onError, url: () => server?.url ?? '' })
  const { log, node } = opened
  const note = createFailureNote(options.data)
  const runtime: Once<AgentRuntime> = once(async () => {
    const parts = { onError, sandbox: await sandbox, lastFailure: note.read(), node }
    const agents = await openRuntime(log, { ...options, ...parts }, server)
    if (log.status().state === 'ok') note.remove()
    return agents
  })
  log.onStatus((status) => {
    server?.setDegraded(status.reason)
    if (status.state === 'ok') note.remove()
    // The others stop agents, or soon will.
    else if (!['low_space', 'unreachable'].includes(status.state))
      note.write(statusInterruption(status))
    options.onStatus?.(status)
  })
  let stage: ClosingStage | undefined
  const close = once(async () => {
    server?.drain()
    // Agents first, so that readers see how their runs end.
    stage = 'agents'
    await runtime.current()?.then(
      (agents) => agents.close(),
      () => {},
    )
    stage = 'connections'
    await server?.close()
    await node?.close()
    stage = 'log'
    await log.close()
    stage = undefined
  })

  try {
    server = http && (await openHttpServer({ ...options, http, log, onError, runtime, node }))
    // Before anybody reads: what other nodes append meanwhile would be missed.
    if (server) await opened.follow(server)
    await server?.listen()
    signal?.throwIfAborted()
    const { sessions, loops, bus, watched } = await runtime()
    await server?.loadRoutes()
    signal?.throwIfAborted()
    if (server && options.resumeLoops !== false) void loops.resumeOwn().catch(onError)
    return {
      sessions,
      loops,
      bus,
      watched,
      log,
      sandbox: (await sandbox).info,
      ...(server && { server }),
      async finish() {
        server?.drain()
        await Promise.all([loops.finish(), sessions.idle()])
      },
      kill: sessions.kill,
      close,
      closing: () => stage,
    }
  } catch (cause) {
    await close()
    throw cause
  }
}

/** Loads what works with agents. It comes after the first streams: it takes longer to load. */
const openRuntime = async (
  log: Log,
  options: Omit<SluiceOptions, 'sandbox'> & {
    onError(cause: unknown): void
    sandbox: Sandbox
    lastFailure: InterruptReason | undefined
    node: JoinedNode | undefined
  },
  server: OwnedHttpServer | undefined,
): Promise<AgentRuntime> => {
  const { openAgentRuntime } = await import('./agent-runtime.ts')
  return openAgentRuntime({
    ...options,
    log,
    limits: options.http?.limits,
    onLifecycle(event) {
      // Where several nodes share the log, readers get what the log reports.
      if (!options.node) server?.publishLifecycle(event)
    },
    listensForHooks: server !== undefined,
    loopRunner: server && options.resumeLoops !== false ? 'server' : 'terminal',
    onLoop(loop) {
      if (!options.node) server?.publishLoop(loopSummaryOf(loop))
      options.onLoop?.(loopInfoOf(loop))
    },
    onHistory: (event) => server?.publishHistory(event),
    onEvent(event) {
      server?.publish(event)
      options.onEvent?.(event)
    },
  })
}

const warn = (cause: unknown): void =>
  process.emitWarning(cause instanceof Error ? cause : String(cause))
