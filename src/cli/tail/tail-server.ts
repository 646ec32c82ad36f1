import type { SessionInfo } from '../../api/types.ts'
import type { Client } from '../../client/client.ts'
import type { ReadCursor } from '../../client/stream/event-cursor.ts'
import type { ManyStream } from '../../client/stream/many-sessions.ts'
import { isStampedEvent, type ManyEvent } from '../../client/stream-events.ts'
import { serverSessions } from '../find-session.ts'
import { connectionNotices } from '../remote/server-feed.ts'
import type { TailedEvent, TailOptions } from './tail-log.ts'

export interface ServerTailOptions extends TailOptions {
  client: Client
  /** Prints what a person should know about the connection. */
  notice(text: string): void
}

/** The events of sessions on a server: the stored ones, then those that its stream sends. */
export async function* tailServer(options: ServerTailOptions): AsyncGenerator<TailedEvent> {
  const { client, sessionId, since, follows, onCaughtUp } = options
  const sessions =
    sessionId === undefined ? await serverSessions(client) : [await client.sessions.get(sessionId)]
  const agents = new Map(sessions.map(({ id, agent }) => [id, agent]))
  const cursors = new Map<string, ReadCursor>()
  for (const session of sessions) {
    if (sessionId === undefined && session.lastActivity < since) {
      // A session that the server has not loaded has no seq: `followAll` then leaves out what is older.
      cursors.set(session.id, session.seq ?? 0)
      continue
    }
    cursors.set(session.id, yield* storedEvents(options, session))
  }
  onCaughtUp()
  if (!follows) return
  if (sessionId === undefined) yield* followAll(options, agents, cursors)
  else yield* followOne(options, sessionId, agents.get(sessionId) ?? '', cursors.get(sessionId))
}

/** The stored events of a session; returns the cursor behind them. */
async function* storedEvents(
  { client, since, signal }: ServerTailOptions,
  { id, agent }: SessionInfo,
): AsyncGenerator<TailedEvent, ReadCursor> {
  let after: ReadCursor = 0
  for (;;) {
    const { events, cursor, next } = await client.sessions.events(id, { after, limit: 5000 })
    for (const event of events) if (event.timestamp >= since) yield { event, agent }
    after = cursor
    if (next === undefined || signal.aborted) return after
  }
}

async function* followOne(
  { client, signal, notice }: ServerTailOptions,
  id: string,
  agent: string,
  after: ReadCursor = 0,
): AsyncGenerator<TailedEvent> {
  const options = { after, signal, onState: connectionNotices(notice) }
  for await (const event of client.sessions.stream(id, options))
    if (isStampedEvent(event)) yield { event, agent }
}

/** How many sessions the stream carries at once: the ones that were active last. */
const carriedSessions = 100

/**
 * Follows the overview, and has the stream carry every session from its first change on. The cursor is
 * that of before the change, so nothing is lost.
 */
async function* followAll(
  { client, since, signal, notice }: ServerTailOptions,
  agents: Map<string, string>,
  cursors: Map<string, ReadCursor>,
): AsyncGenerator<TailedEvent> {
  const carried = new Map<string, ReadCursor>()
  const stream = client.stream({ sessions: carried, signal, onState: connectionNotices(notice) })
  for await (const event of stream) {
    for (const session of changedIn(event)) {
      agents.set(session.id, session.agent)
      const cursor = cursors.get(session.id) ?? 0
      if (carried.has(session.id) || (session.seq ?? 0) <= Number.parseInt(`${cursor}`, 10))
        continue
      carry(stream, carried, session.id, cursor)
    }
    if (!isStampedEvent(event) || !carried.has(event.sessionId)) continue
    if (cursors.get(event.sessionId) === 0 && event.timestamp < since) continue
    cursors.set(event.sessionId, event.seq)
    yield { event, agent: agents.get(event.sessionId) ?? '' }
  }
}

const carry = (
  stream: ManyStream,
  carried: Map<string, ReadCursor>,
  id: string,
  cursor: ReadCursor,
): void => {
  carried.set(id, cursor)
  const [oldest] = carried.keys()
  if (carried.size > carriedSessions && oldest !== undefined) carried.delete(oldest)
  stream.setSessions(new Map(carried))
}

const changedIn = (event: ManyEvent): readonly SessionInfo[] => {
  if (event.type === 'overview') return event.sessions
  return event.type === 'session_created' || event.type === 'session_updated' ? [event.session] : []
}
