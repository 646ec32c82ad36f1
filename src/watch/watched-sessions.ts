import type { StampedEvent } from '../events/types.ts'
import type { Prices } from '../ledger/prices.ts'
import type { Log } from '../log/log.ts'
import type { SessionRecord } from '../log/types.ts'
import type { SessionLifecycleEvent } from '../session/registry/sessions.ts'
import type { SessionClaims } from './session-claims.ts'
import type { WatchedSession } from './watched-session.ts'

/** A session as an agent outside Sluice knows it. */
export interface NativeSession {
  /** The agent’s name, such as `claude`. */
  agent: string
  /** The agent’s own id of the session. */
  nativeId: string
  /** The directory that the agent works in. */
  cwd: string
  /** Path of the file in which the agent stores the session. */
  file?: string | undefined
  /** When the session began, in ms since 1970. Default: now. */
  startedAt?: number | undefined
}

/**
 * Why a session is not watched. `own`: Sluice runs it. `starting`: Sluice starts an agent in the same
 * directory, whose session this may be. `deleted`: a person deleted it here. `elsewhere`: another node
 * reads it, and this one can when that node releases it or is lost.
 */
export type NotWatched = 'own' | 'starting' | 'deleted' | 'elsewhere'

/**
 * The sessions that agents outside Sluice work in. Those who learn something about such a session open
 * it here, by the agent’s own id: the readers of files, and hooks. What they append has one order.
 */
export interface WatchedSessions {
  /** Opens the session, and creates it if there is none. Otherwise returns why it is not watched. */
  open(native: NativeSession): Promise<WatchedSession | NotWatched>
  /** The id that the session of an agent has, or would have. */
  idOf(native: Pick<NativeSession, 'agent' | 'nativeId'>): string
  /**
   * Makes a watched session one that Sluice runs: its next prompt resumes the agent’s conversation.
   * Nothing that the agent stores is added any more. Rejects with a `Fault` if it is not watched.
   */
  adopt(id: string, options?: { creatorId?: string | undefined }): Promise<SessionRecord>
  /** Notes which sessions Sluice runs itself, and which ones were deleted. */
  onSession(event: SessionLifecycleEvent): void
  /** Notes that a session was deleted for good, so that its files do not bring it back. */
  noteDeleted(record: SessionRecord): Promise<void>
  /** This node has lost its lease: nothing that is open here is written any more. */
  abandon(): void
  /** Resolves when everything is stored. Nothing may be opened afterwards. */
  close(): Promise<void>
}

export interface WatchedSessionsOptions {
  log: Log
  /** Which node reads a session. Undefined when there is one node only. */
  claims?: SessionClaims | undefined
  now?(): number
  /** Called for each event once it is durable, in order per session. */
  publish(event: StampedEvent): void
  /** Like `publish`, for what happened long ago. */
  publishHistory(event: StampedEvent): void
  /** Called when a session was created, changed or removed. */
  notify(event: SessionLifecycleEvent): void
  /** Loads the prices for agents that report no cost. */
  prices?(): Promise<Prices | undefined>
  onError(cause: unknown): void
}
