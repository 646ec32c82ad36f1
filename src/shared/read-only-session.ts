import { Fault } from './fault.ts'

/** The fault of a command to a session that came from a file. */
export const readOnlySession = (sessionId: string): Fault =>
  new Fault(
    'session_read_only',
    `Session ${sessionId} was imported from a file, so it is read-only. Start a new session to continue the work.`,
  )
