import type { ApiError } from '../api-error.ts'
import { type ManyEvent, parseManyEvent } from '../stream-events.ts'
import type { Transport } from '../transport.ts'
import { createCursorTable, type SessionCursors } from './cursor-table.ts'
import type { ResumableStream } from './read-connection.ts'
import { oneByOne, readStream, type StreamOptions } from './read-stream.ts'

/** The stream of several sessions and of the overview, with a cursor for each session. */
export interface ManySessions extends ResumableStream<ManyEvent> {
  restart(): AbortSignal
  /** Carries these sessions from now on. Those that stay continue from their cursors. */
  setSessions(sessions: SessionSelection): void
  /** Has the server send a new snapshot of a session. */
  refresh(sessionId: string): void
}

/** Ids of sessions, or a map of ids to cursors. */
export type SessionSelection = Iterable<string> | SessionCursors

export const manySessions = (
  selection: SessionSelection = [],
  onRefused: (sessionId: string, refusal: ApiError) => void = () => {},
): ManySessions => {
  const cursors = createCursorTable(cursorsOf(selection))
  let restart = new AbortController()
  /** The sessions that the connection carries; those to be refreshed are missing. */
  let carried = new Set<string>()
  let isReopenDue = false

  const drop = (sessionId: string): boolean => {
    carried.delete(sessionId)
    return cursors.delete(sessionId)
  }

  const reopen = () => {
    isReopenDue = false
    if (isSame(carried, cursors.ids())) return
    restart.abort()
    restart = new AbortController()
  }

  /** Each change costs a connection: changes that come together share one. */
  const reopenSoon = () => {
    if (!isReopenDue) queueMicrotask(reopen)
    isReopenDue = true
  }

  return {
    request() {
      const ids = cursors.ids()
      carried = new Set(ids)
      const sessions = ids.length > 0 ? ids.join(',') : undefined
      return { path: 'stream', query: { sessions }, lastEventId: cursors.lastEventId() }
    },
    restart: () => restart.signal,
    accept({ id, data }) {
      const event = parseManyEvent(data)
      if (!event) return void cursors.skip(id ?? '')
      if (event.type === 'session_removed') drop(event.sessionId)
      return cursors.accept(event, id)
    },
    skipRefused(refusal) {
      const sessionId = refusal.problem?.sessionId
      if (sessionId === undefined || !drop(sessionId)) return false
      onRefused(sessionId, refusal)
      return true
    },
    setSessions(sessions) {
      cursors.replace(cursorsOf(sessions))
      reopenSoon()
    },
    refresh(sessionId) {
      if (!cursors.reset(sessionId)) return
      carried.delete(sessionId)
      reopenSoon()
    },
  }
}

export interface ManyStreamOptions extends StreamOptions {
  /** The sessions whose events the stream carries. Default: none, only the overview. */
  sessions?: SessionSelection
}

/** Events of several sessions and of the overview, over one connection. Can be read once. */
export interface ManyStream extends AsyncIterable<ManyEvent> {
  /** Carries these sessions from now on: reconnects, and those that stay continue. */
  setSessions(sessions: SessionSelection): void
}

export const manyStream = (
  transport: Transport,
  { sessions, ...options }: ManyStreamOptions = {},
): ManyStream => {
  const stream = manySessions(sessions)
  return {
    setSessions: stream.setSessions,
    [Symbol.asyncIterator]: () => oneByOne(readStream(transport, stream, options)),
  }
}

const cursorsOf = (selection: SessionSelection): SessionCursors =>
  isCursors(selection) ? selection : new Map(Array.from(selection, (id) => [id, undefined]))

const isCursors = (selection: SessionSelection): selection is SessionCursors =>
  selection instanceof Map

const isSame = (carried: ReadonlySet<string>, ids: readonly string[]): boolean =>
  carried.size === ids.length && ids.every((id) => carried.has(id))
