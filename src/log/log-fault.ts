/** Why a log refused, by a name that programs may rely on. */
export type LogFaultCode =
  | 'gap'
  | 'repeat'
  | 'foreign_event'
  | 'unknown_session'
  | 'session_exists'
  | 'approval_exists'
  | 'project_exists'
  | 'unknown_project'
  | 'key_exists'
  | 'unknown_key'
  | 'snapshot_ahead'
  | 'invalid_record'
  | 'locked'
  | 'newer_schema'
  | 'unusable_directory'
  | 'write_failed'
  | 'closed'

/** A refusal of the log. Whatever was asked for has not happened, not even in part. */
export class LogFault extends Error {
  readonly code: LogFaultCode
  constructor(code: LogFaultCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'LogFault'
    this.code = code
  }
}

/** The refusal of everything that needs a session which is not there, or no longer. */
export const unknownSession = (sessionId: string): LogFault =>
  new LogFault('unknown_session', `There is no session ${sessionId}.`)

/** The refusal of everything after `close`. */
export const closedLog = (): LogFault => new LogFault('closed', 'The log is closed.')

/** The refusal of a session whose id is taken. */
export const sessionExists = (sessionId: string): LogFault =>
  new LogFault('session_exists', `There is a session ${sessionId} already.`)

/** The refusal of an approval whose id another session has used. */
export const approvalExists = (known: { approvalId: string; sessionId: string }): LogFault =>
  new LogFault(
    'approval_exists',
    `Approval ${known.approvalId} belongs to session ${known.sessionId}.`,
  )

/** The refusal of a project whose id is taken. */
export const projectExists = (id: string): LogFault =>
  new LogFault('project_exists', `There is a project ${id} already.`)

export const unknownProject = (id: string): LogFault =>
  new LogFault('unknown_project', `There is no project ${id}.`)

/** The refusal of a key whose id is taken. */
export const keyExists = (id: string): LogFault =>
  new LogFault('key_exists', `There is a key ${id} already.`)

export const unknownKey = (id: string): LogFault =>
  new LogFault('unknown_key', `There is no key ${id}.`)

/** The refusal of a snapshot that holds events which are not stored: a crash would make it a lie. */
export const snapshotAhead = (sessionId: string, seq: number, head: number): LogFault =>
  new LogFault(
    'snapshot_ahead',
    `Session ${sessionId} ends with event ${head}; a snapshot of event ${seq} is ahead of it.`,
  )
