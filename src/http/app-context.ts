import type { Auth } from '../auth/auth.ts'
import type { Gate } from '../auth/gate.ts'
import type { Limits } from '../auth/limits/limits.ts'
import type { Log } from '../log/log.ts'
import type { AgentCatalog } from '../process/agent-catalog.ts'
import type { SessionLifecycleEvent } from '../session/registry/session-lifecycle.ts'
import type { Sessions } from '../session/registry/sessions.ts'
import type { Streams } from '../streams/streams.ts'
import type { TurnDiffs } from '../turn-diff/turn-diffs.ts'
import type { TurnStarts } from '../turn-diff/turn-starts.ts'
import type { CommandOrder } from './command-order.ts'
import type { ProjectRoots } from './project-roots.ts'
import type { Removal } from './removal.ts'

/**
 * Serves; lets what was begun come to its end and begins nothing new; refuses everything, since its
 * parts are being closed.
 */
export type Phase = 'serving' | 'finishing' | 'closing'

/** What works with agents and directories. It may come later than the streams. */
export interface AgentContext {
  sessions: Sessions
  agents: AgentCatalog
  turnDiffs: Pick<TurnDiffs, 'read' | 'remove'>
  turnStarts: Pick<TurnStarts, 'waitForBaseline'>
}

/** What streams need, and nothing more: they are open as soon as the server listens. */
export interface StreamContext {
  log: Log
  feeds: Streams
  gate: Gate
  limits: Limits
  phase(): Phase
}

/** Everything that the routes work with. */
export interface AppContext extends StreamContext, AgentContext {
  auth: Auth
  roots: ProjectRoots
  commandOrder: CommandOrder
  removal: Removal
  /** Tells everybody what happened to a session as a whole. */
  announce(news: SessionLifecycleEvent): void
  /** The figures as Prometheus reads them. */
  figures(): Promise<string>
  /** Of this program. */
  version: string
  now(): number
  /** Takes what went wrong unexpectedly. */
  report(cause: unknown): void
  /** Where the files of the web app are, if there are any. */
  webDirectory: string | undefined
}
