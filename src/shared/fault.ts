/** What failed, as a stable code for programs. */
export type FaultCode =
  | 'agent_not_found'
  | 'agent_not_started'
  | 'agent_running'
  | 'backup_failed'
  | 'budget_exceeded'
  | 'clock_jumped'
  | 'conversation_in_use'
  | 'cwd_not_found'
  | 'data_not_opened'
  | 'file_not_readable'
  | 'file_not_written'
  | 'history_not_restored'
  | 'keep_exceeded'
  | 'log_too_slow'
  | 'move_failed'
  | 'nats_not_opened'
  | 'no_conversation'
  | 'no_fork_point'
  | 'no_repository'
  | 'node_name_taken'
  | 'not_listening'
  | 'not_watched'
  | 'owned_elsewhere'
  | 'owner_unreachable'
  | 'presence_unknown'
  | 'prices_unreadable'
  | 'project_not_trusted'
  | 'overlaps_data'
  | 'restore_failed'
  | 'sandbox_unavailable'
  | 'session_closing'
  | 'session_read_only'
  | 'session_watched'
  | 'start_not_supported'
  | 'too_many_sessions'
  | 'uncommitted_changes'
  | 'unknown_conversation'
  | 'usage'

/** An expected failure, such as a missing program. It ends as an event or as an exit code. */
export class Fault extends Error {
  readonly code: FaultCode
  constructor(code: FaultCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'Fault'
    this.code = code
  }
}
