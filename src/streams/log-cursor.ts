import { type EventCursor, formatEventCursor } from '../api/cursors.ts'
import type { Log } from '../log/log.ts'

/** Cursors that are compared with the log. Streams, snapshots and pages of events use them. */
type Checksums = Pick<Log, 'checksumAt'>

/** The cursor at an event of a session. Undefined if the log does not have the event. */
export const cursorAt = async (
  log: Checksums,
  sessionId: string,
  seq: number,
): Promise<string | undefined> => {
  if (seq === 0) return formatEventCursor(0)
  const checksum = await log.checksumAt(sessionId, seq)
  return checksum === undefined ? undefined : formatEventCursor(seq, checksum)
}

/**
 * The cursor to continue from, always with a checksum. Undefined if the log does not have the event, or
 * has another one with this seq: the log was restored from an older copy, or a new session has the id
 * of one that was removed. A bare seq is not compared.
 */
export const resumeAt = async (
  log: Checksums,
  sessionId: string,
  { seq, check }: EventCursor,
): Promise<string | undefined> => {
  const stored = await cursorAt(log, sessionId, seq)
  return check === undefined || stored?.endsWith(`-${check}`) ? stored : undefined
}
