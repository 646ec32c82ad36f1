import type { IncomingMessage } from 'node:http'
import type { Access, Auth } from '../auth/auth.ts'
import type { Limits } from '../auth/limits/limits.ts'
import type { Passkeys } from '../auth/passkeys.ts'
import type { HookDesk } from '../hooks/hook-desk.ts'
import type { RecordAction } from '../log/auditor.ts'
import type { Log } from '../log/log.ts'
import type { Loops } from '../loop/runner/loops.ts'
import type { PriceBook } from '../prices/price-book.ts'
import type { AgentCatalog } from '../process/agent-catalog.ts'
import type { RetentionStatus } from '../session/registry/retention.ts'
import type { Sessions } from '../session/registry/sessions.ts'
import type { Streams } from '../streams/streams.ts'
import type { TrustedProjects } from '../trust/trusted-projects.ts'
import type { TurnDiffs } from '../turn-diff/turn-diffs.ts'
import type { TurnStarts } from '../turn-diff/turn-starts.ts'
import type { Takeover } from '../watch/takeover.ts'
import type { Watching } from '../watch/watching.ts'
import type { ServerAddresses } from './addresses.ts'
import type { ClusterFigures } from './cluster-metrics.ts'
import type { CommandOrder } from './command-order.ts'
import type { KeyQuotas } from './key-quotas.ts'
import type { OtherNodes } from './other-nodes.ts'
import type { ProjectRoots } from './project-roots.ts'
import type { Removal } from './removal.ts'
import type { RouteMatch } from './router.ts'
import type { Search } from './search/search.ts'
import type { RouteResponse } from './send-response.ts'

/**
 * `serving`: accepts everything. `draining`: running turns may finish, and nothing new starts.
 * `closing`: refuses everything, because its parts are being closed.
 */
export type Phase = 'serving' | 'draining' | 'closing'

/** What routes need to work with agents and directories. It may be opened later than the streams. */
export interface AgentContext {
  sessions: Sessions
  /** Without it, sessions that began outside Sluice cannot be continued. */
  takeover?: Takeover | undefined
  /** What is read of agents that run outside Sluice. Without it, nothing is. */
  watching?: Watching | undefined
  /** Without it, the server runs no loops. */
  loops?: Loops | undefined
  agents: AgentCatalog
  /** Loads the prices that sessions use. Undefined if they are not from a data directory. */
  prices?(): Promise<PriceBook | undefined>
  /** Answers what agents outside Sluice ask through their hooks. */
  hooks?: Pick<HookDesk, 'answer'>
  turnDiffs: Pick<TurnDiffs, 'read' | 'remove'>
  turnStarts: Pick<TurnStarts, 'waitForBaseline'>
  /** The nodes that serve the same sessions; undefined when there is one node only. */
  nodes?: OtherNodes | undefined
  /** Present where several nodes share the log. */
  clusterFigures?: (() => Promise<ClusterFigures>) | undefined
  /** What retention has done. Undefined without it, and when everything is kept. */
  retentionStatus?(): RetentionStatus | undefined
}

/** What streams need. They open as soon as the server listens, before anything else is loaded. */
export interface StreamContext {
  log: Log
  streams: Streams
  limits: Limits
}

/** What all routes work with. */
export interface AppContext extends StreamContext, AgentContext {
  auth: Auth
  addresses: ServerAddresses
  passkeys: Passkeys
  roots: ProjectRoots
  trust: TrustedProjects
  commandOrder: CommandOrder
  removal: Removal
  quotas: KeyQuotas
  search: Search
  /** Records what somebody did. */
  recordAction: RecordAction
  phase(): Phase
  /** All metrics, in the format of Prometheus. */
  metricsText(): Promise<string>
  /** The data directory, which no project may contain or lie in; undefined when there is none. */
  data: string | undefined
  /** The version of this program. */
  version: string
  now(): number
  /** Receives unexpected errors. */
  onError(cause: unknown): void
  /** The files of the web app; undefined when it is not built. */
  webDirectory: string | undefined
}

/** A request that has passed the gate. */
export interface AuthorizedRequest extends RouteMatch {
  access: Access
  request: IncomingMessage
}

/** Makes the response of an endpoint. Throws a `Problem`, or what `problemOf` makes one of. */
export type EndpointHandler = (request: AuthorizedRequest) => Promise<RouteResponse>
