/** The database in which OpenCode stores its sessions. Every method throws a `Fault` if it fails. */
export interface OpenCodeStore {
  /** The next sessions after one, by id. Subagents are part of the session that started them. */
  sessions(after?: string): OpenCodeSession[]
  /** One of them. Undefined if there is none, or if it is one of a subagent. */
  session(id: string): OpenCodeSession | undefined
  /** The next lines of a session and of its subagents, after a cursor. */
  read(sessionId: string, cursor?: StoreCursor): StorePage
  /** Changes whenever a session, or one of its subagents, has new lines. */
  stateOf(sessionId: string): string
  /** The sessions with new lines since `place`, and the place to use next time. */
  changes(since: number): { place: number; sessionIds: string[] }
  close(): void
}

/** A session as a row of the database. */
export interface OpenCodeSession {
  id: string
  directory: string
  title: string
  /** In ms since 1970. */
  createdAt: number
  updatedAt: number
}

/** How far a session was read. It can be stored as JSON. */
export interface StoreCursor {
  /** The last sequence number of each session: its own, and those of its subagents. */
  seqs: Readonly<Record<string, number>>
  /** The last message of a session without a sequence. */
  message?: { time: number; id: string }
}

/** A part of a session: lines for the decoder of OpenCode, oldest first. */
export interface StorePage {
  lines: StoreLine[]
  cursor: StoreCursor
  /** More lines can be read now. */
  hasMore: boolean
}

/** A row of the table `event`. */
export interface StoreLine {
  id: string
  seq: number
  type: string
  /** When it was written, in ms since 1970. Absent if the row does not say. */
  timestamp?: number
  /** The message is a copy, made by a fork: the id of the original. */
  copyOf?: string
  data: unknown
}

/** The most rows of a page, and the most characters of one row. */
export const pageLimits = { rows: 500, characters: 8_000_000 }
