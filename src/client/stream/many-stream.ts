import type { ManyEvent } from '../stream-events.ts'
import type { Transport } from '../transport.ts'
import { each } from './each.ts'
import { manySessions, type SessionCursors } from './many-sessions.ts'
import { readStream, type StreamOptions } from './read-stream.ts'

export interface ManyStreamOptions extends StreamOptions {
  /** Ids of sessions; as a map, with how far each was seen. */
  sessions?: SessionSelection
}

export type SessionSelection = Iterable<string> | SessionCursors

/** Several sessions on one connection, and what concerns all of them. To be read once. */
export interface ManyStream extends AsyncIterable<ManyEvent> {
  /** Carries these from now on: opened anew, those that stay go on from their cursors. */
  setSessions(sessions: SessionSelection): void
}

export const manyStream = (
  transport: Transport,
  { sessions = [], ...options }: ManyStreamOptions = {},
): ManyStream => {
  const many = manySessions(namedOf(sessions))
  return {
    setSessions: (now) => many.setSessions(namedOf(now)),
    [Symbol.asyncIterator]: () => each(readStream(transport, many, options)),
  }
}

const namedOf = (sessions: SessionSelection): SessionCursors =>
  isNamed(sessions) ? sessions : new Map(Array.from(sessions, (id) => [id, undefined]))

const isNamed = (sessions: SessionSelection): sessions is SessionCursors => sessions instanceof Map
