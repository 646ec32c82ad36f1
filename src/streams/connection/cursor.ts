import type { IncomingMessage } from 'node:http'
import { parseCursors } from '../../api/cursors.ts'

/** The last event that a client has seen; `unreadable` if it sent something else. */
export type Cursor = number | 'unreadable'

/** A request that may say what its client has seen. */
export interface Returning {
  request: IncomingMessage
  /** From the address. */
  after?: string | undefined
}

/** The cursor of a client that was here before; undefined for one that was not. */
export const cursorIn = (asked: Returning): Cursor | undefined => {
  const text = textIn(asked)
  if (text === undefined) return undefined
  return /^\d{1,15}$/.test(text) ? Number(text) : 'unreadable'
}

/** The same for a stream of several sessions: a cursor for each of them that it has seen. */
export const cursorsIn = (asked: Returning): ((sessionId: string) => Cursor | undefined) => {
  const text = textIn(asked)
  if (text === undefined) return () => undefined
  const cursors = parseCursors(text)
  return (sessionId) => (cursors ? cursors.get(sessionId) : 'unreadable')
}

/** The last id is what the client has seen; what stands in the address may be from long before. */
const textIn = ({ request, after }: Returning): string | undefined => {
  const last = request.headers['last-event-id']
  return (typeof last === 'string' ? last : '') || after || undefined
}
