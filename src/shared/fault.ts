/** What can go wrong in the world, by a name that programs may rely on. */
export type FaultCode =
  | 'agent_not_found'
  | 'agent_not_started'
  | 'cwd_not_found'
  | 'data_not_opened'
  | 'file_not_readable'
  | 'log_too_slow'
  | 'not_listening'
  | 'too_many_sessions'
  | 'usage'

/** A failure of the world, on its way to where it becomes an event or an exit code. */
export class Fault extends Error {
  readonly code: FaultCode
  constructor(code: FaultCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'Fault'
    this.code = code
  }
}
