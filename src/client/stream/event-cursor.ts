import type { SessionEvent } from '../stream-events.ts'

/**
 * How far a session was read: a cursor that the server has sent, or a bare seq. The server compares
 * a cursor with its log. It cannot do that with a seq: after the log was restored from an older copy,
 * other events may follow it.
 */
export type ReadCursor = string | number

const cursors = new WeakMap<SessionEvent, string>()

/**
 * The cursor at an event or a snapshot that a stream of this client has returned, to continue after
 * it later. Undefined if the stream did not send one with this event.
 */
export const cursorOf = (event: SessionEvent): string | undefined =>
  cursors.get(event) ?? (event.type === 'snapshot' ? event.cursor : undefined)

/** Remembers the cursor that came with an event. */
export const recordCursor = (event: SessionEvent, cursor: string | undefined): void => {
  if (cursor !== undefined) cursors.set(event, cursor)
}
