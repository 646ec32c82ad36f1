import type { AgentEvent, FilePosition, Presence, ReportedUsage } from '../events/types.ts'

/** Events that happened at one time. */
export interface TimedEvents {
  /** When they happened, in ms since 1970. Default: now. Never before earlier events of the session. */
  at?: number | undefined
  events: readonly AgentEvent[]
  /** Up to where the agent’s file is read with these events. It is stored with the last of them. */
  readUpTo?: FilePosition | undefined
}

export interface AppendOptions {
  /** The events are from before: only readers that follow the session already receive them. */
  isPast?: boolean | undefined
  /** The events do not come from the agent: its machine is lost, and stays the one of the session. */
  isLost?: boolean | undefined
}

/** What can be changed about a watched session, beside what its events say. */
export interface WatchedChange {
  /** The name that a person gave the session, in the agent. */
  name?: string | undefined
  title?: string | undefined
  /** Path of the agent’s file. */
  file?: string | undefined
  /** Which state of the files is read to the end. */
  read?: string | undefined
  /** What the agent’s own process does. */
  presence?: Presence | undefined
  /** What copies of the conversation begin with. */
  beginning?: string | undefined
  /** The totals that a copy began with. */
  inherited?: ReportedUsage | undefined
  /** How many of its first calls the agent’s totals leave out. */
  unpaidCalls?: number | undefined
}

/** A session that an agent outside Sluice works in. Whoever opened it must release it. */
export interface WatchedSession {
  readonly id: string
  /**
   * Stores events behind all earlier ones, and then publishes them. All of them are stored, or none. What
   * follows from them (turn states, usage) is added. Rejects when the log fails: release the session then.
   */
  append(parts: readonly TimedEvents[], options?: AppendOptions): Promise<void>
  /** Changes what lists show of the session. */
  update(change: WatchedChange): Promise<void>
  /** Whether a run is open in the stored events. */
  isRunning(): boolean
  /** Whether the agent has answered, and nothing else is open: its run may be over. */
  isAnswered(): boolean
  /** Resolves when everything is stored. The session leaves memory with its last user. */
  release(): Promise<void>
}
