import type { ManyEvent } from '../stream-events.ts'
import type { Transport } from '../transport.ts'
import { each } from './each.ts'
import { manySessions, type Named } from './many.ts'
import { resuming, type StreamOptions } from './resuming.ts'

export interface ManyStreamOptions extends StreamOptions {
  /** Ids of sessions; as a map, with how far each was seen. */
  sessions?: Sessions
}

export type Sessions = Iterable<string> | Named

/** Several sessions on one connection, and what concerns all of them. To be read once. */
export interface ManyStream extends AsyncIterable<ManyEvent> {
  /** Carries these from now on: opened anew, those that stay go on from their cursors. */
  setSessions(sessions: Sessions): void
}

export const manyStream = (
  server: Transport,
  { sessions = [], ...options }: ManyStreamOptions = {},
): ManyStream => {
  const many = manySessions(namedOf(sessions))
  return {
    setSessions: (now) => many.setSessions(namedOf(now)),
    [Symbol.asyncIterator]: () => each(resuming(server, many, options)),
  }
}

const namedOf = (sessions: Sessions): Named =>
  isNamed(sessions) ? sessions : new Map(Array.from(sessions, (id) => [id, undefined]))

const isNamed = (sessions: Sessions): sessions is Named => sessions instanceof Map
