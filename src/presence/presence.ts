import type { Presence } from '../events/types.ts'

/** A session as its agent knows it. */
export interface PresenceQuery {
  /** The agent’s name, such as `claude`. */
  readonly agent: string
  /** The agent’s own id of the session. */
  readonly nativeId: string
  /** The directory that the agent works in. */
  readonly cwd: string
  /** Path of the file or database in which the agent stores the session. */
  readonly file?: string | undefined
  /** When the agent last wrote to the session, in ms since 1970. Default: when the file last changed. */
  readonly lastWrite?: number | undefined
}

/** Finds out whether agents outside Sluice still work in their sessions. */
export interface PresenceRegistry {
  /** What is true now: reads the markers of the agent, and the processes of this machine. */
  find(query: PresenceQuery): Promise<Presence>
  /**
   * Calls `onChange` with the presence now, and again when it changes, until the returned function is
   * called. A change of a marker is seen at once; a process that was killed, within a few seconds.
   */
  follow(query: PresenceQuery, onChange: (presence: Presence) => void): () => void
  /**
   * Notes what an agent reports about itself. It holds while the process of the report lives, and the
   * agent leaves no marker that says more.
   */
  report(session: Pick<PresenceQuery, 'agent' | 'nativeId'>, presence: Presence): void
  /** Ends all watches. Nothing is called afterwards. */
  close(): void
}

/** How the marker of one kind of agent is read. Never throws: what cannot be read is `unknown`. */
export interface PresenceReader {
  /** The directory whose changes are changes of markers; undefined if there is none. */
  readonly directory?: string
  find(query: PresenceQuery): Promise<Presence>
}

/** Where the agents store their settings: the environment of the user who runs them. */
export interface PresenceOptions {
  env?: NodeJS.ProcessEnv
  /** How often everything that is followed is read again; 3 seconds by default. */
  pollMs?: number
}
