/**
 * How far a reader has read a session: the seq of the last event, and the checksum of that event as
 * it is stored. A log that was restored from an older copy has another event with the same seq: the
 * checksum differs then. Readers send a cursor back as they received it.
 */
export interface EventCursor {
  seq: number
  /** Eight hex digits. Absent at the start of a session, and in a cursor that is a bare seq. */
  check?: string
}

/** A cursor as text: `<seq>-<check>`, or `<seq>` without a check. */
export const formatEventCursor = (seq: number, checksum?: number): string =>
  checksum === undefined ? `${seq}` : `${seq}-${checksum.toString(16).padStart(8, '0')}`

/** Reads a cursor; undefined if the text is not one. */
export const parseEventCursor = (text: string): EventCursor | undefined => {
  const [, seq, check] = cursorPattern.exec(text) ?? []
  if (seq === undefined) return undefined
  return { seq: Number(seq), ...(check !== undefined && { check }) }
}

/** What the text of a cursor looks like. */
export const cursorPattern = /^(\d{1,15})(?:-([\da-f]{8}))?$/

/** The cursor of each session, as text. */
export type Cursors = ReadonlyMap<string, string>

/** Cursors as an SSE event id: `<sessionId>:<cursor>,<sessionId>:<cursor>`. */
export const formatCursors = (cursors: Iterable<readonly [string, string]>): string =>
  [...cursors].map(([sessionId, cursor]) => `${sessionId}:${cursor}`).join(',')

/** Reads cursors from an SSE event id; undefined if the id is invalid. */
export const parseCursors = (id: string): Map<string, string> | undefined => {
  const cursors = new Map<string, string>()
  if (id === '') return cursors
  for (const each of id.split(',')) {
    const colon = each.lastIndexOf(':')
    const cursor = each.slice(colon + 1)
    if (colon < 1 || !cursorPattern.test(cursor)) return undefined
    cursors.set(each.slice(0, colon), cursor)
  }
  return cursors
}
