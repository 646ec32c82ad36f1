/**
 * Why the log rejected a call. Programs may rely on these codes:
 *
 * - `gap`: `append` skipped a seq. `repeat`: `append` repeated a seq.
 * - `foreign_event`: an event belongs to another session than the one it is appended to.
 * - `unknown_session`, `unknown_project`, `unknown_key`: there is nothing with this id.
 * - `session_exists`, `project_exists`, `key_exists`: the id is already in use.
 * - `approval_exists`: another session already has an approval with this id.
 * - `command_exists`: a command with this id or this key is already stored.
 * - `snapshot_ahead`: the snapshot covers events that are not in the log.
 * - `invalid_record`: the record does not match its schema.
 * - `locked`: another log has the data directory open.
 * - `newer_schema`: a newer version of Sluice wrote the data.
 * - `unusable_directory`: the data directory cannot be read or written.
 * - `disk_full`: the disk is full, or almost.
 * - `write_failed`: the storage failed for another reason, for example because it is read-only.
 * - `log_failed`: a flush has failed, or a stream of the cluster was deleted. Nothing is written until
 *   the log is opened again, or the stream is back.
 * - `damaged`: what is stored cannot be read any more, for example because a disk returned wrong bytes.
 * - `fenced`: another node of the cluster writes this session now.
 * - `unreachable`: the cluster does not answer. A write may have been stored all the same.
 * - `login_refused`: the cluster does not accept the credentials, or they lack rights.
 * - `jetstream_off`: the cluster has no JetStream.
 * - `too_few_servers`: the cluster cannot store as many replicas.
 * - `half_moved`: a move from another log is not complete.
 * - `closed`: the log is closed.
 */
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
  | 'command_exists'
  | 'snapshot_ahead'
  | 'invalid_record'
  | 'locked'
  | 'newer_schema'
  | 'unusable_directory'
  | 'disk_full'
  | 'write_failed'
  | 'log_failed'
  | 'damaged'
  | 'fenced'
  | 'unreachable'
  | 'login_refused'
  | 'jetstream_off'
  | 'too_few_servers'
  | 'half_moved'
  | 'closed'

/** The log rejected a call. Nothing of that call has been stored, not even a part. */
export class LogFault extends Error {
  readonly code: LogFaultCode
  /** With `damaged`: the first event that cannot be read. */
  readonly seq: number | undefined
  constructor(code: LogFaultCode, message: string, options?: { cause?: unknown; seq?: number }) {
    super(message, options)
    this.name = 'LogFault'
    this.code = code
    this.seq = options?.seq
  }
}

export const unknownSession = (id: string): LogFault =>
  new LogFault('unknown_session', `There is no session ${id}.`)

export const unknownProject = (id: string): LogFault =>
  new LogFault('unknown_project', `There is no project ${id}.`)

export const unknownKey = (id: string): LogFault =>
  new LogFault('unknown_key', `There is no key ${id}.`)

export const sessionExists = (id: string): LogFault =>
  new LogFault('session_exists', `Session ${id} already exists.`)

export const projectExists = (id: string): LogFault =>
  new LogFault('project_exists', `Project ${id} already exists.`)

export const keyExists = (id: string): LogFault =>
  new LogFault('key_exists', `Key ${id} already exists.`)

export const approvalExists = (stored: { approvalId: string; sessionId: string }): LogFault =>
  new LogFault(
    'approval_exists',
    `Approval ${stored.approvalId} already exists in session ${stored.sessionId}.`,
  )

export const commandExists = (id: string): LogFault =>
  new LogFault('command_exists', `The command ${id}, or one with its key, is already stored.`)

export const snapshotAhead = (sessionId: string, seq: number, head: number): LogFault =>
  new LogFault(
    'snapshot_ahead',
    `The snapshot includes event ${seq}, but the last event of session ${sessionId} is ${head}.`,
  )

export const closedLog = (): LogFault => new LogFault('closed', 'The log is closed.')
