import { JetStreamApiError, JetStreamError } from '@nats-io/jetstream'
import { jserrors } from '@nats-io/jetstream/internal'
import { errors, type Status } from '@nats-io/transport-node'
import { LogFault } from '../log-fault.ts'

/**
 * What an error of a NATS server means for a call.
 *
 * - `conflict`: another write came first.
 * - `full`: the storage limit of the stream or account is reached.
 * - `fatal`: a retry changes nothing, for example because the rights are missing.
 * - `transient`: the server cannot answer just now, for example while it elects a leader.
 */
export type ServerError = 'conflict' | 'full' | 'fatal' | 'transient'

/** Codes of the JetStream API. */
const wrongLastSequence = 10071
/**
 * Servers since 2.11 send these while they replicate another message with the same subject or id, which
 * may be an earlier try of the same write. Only a later try learns what became of it.
 */
const inProgress: ReadonlySet<number> = new Set([10158, 10164])
const storeFailed = 10077
const storageFull: ReadonlySet<number> = new Set([10002, 10023, 10028, 10047, 10077])

/** The server did not answer, or has no leader just now. */
const transientErrors = [
  errors.TimeoutError,
  errors.RequestError,
  errors.NoRespondersError,
  errors.ConnectionError,
  // Without a leader, a server answers as if it had no JetStream at all.
  jserrors.JetStreamNotEnabled,
  JetStreamError,
]

export const serverErrorOf = (cause: unknown): ServerError => {
  if (cause instanceof JetStreamApiError) {
    if (cause.code === wrongLastSequence) return 'conflict'
    if (inProgress.has(cause.code)) return 'transient'
    // A server that stops closes its files first.
    if (cause.code === storeFailed && cause.message.includes('closed')) return 'transient'
    if (storageFull.has(cause.code)) return 'full'
    return cause.status >= 500 ? 'transient' : 'fatal'
  }
  const rootCause = cause instanceof Error ? cause.cause : undefined
  if (rootCause instanceof errors.PermissionViolationError) return 'fatal'
  return transientErrors.some((kind) => cause instanceof kind) ? 'transient' : 'fatal'
}

/** Whether a connection reports that the servers refuse its login. */
export const isLoginRefused = (status: Status): boolean =>
  status.type === 'error' &&
  (status.error instanceof errors.AuthorizationError ||
    status.error instanceof errors.UserAuthenticationExpiredError)

const streamNotFound = 10059

/** Whether the servers have no such stream. */
export const isStreamMissing = (cause: unknown): boolean =>
  cause instanceof JetStreamApiError && cause.code === streamNotFound

/** The fault of a write that a server refused. */
export const refusal = (cause: unknown): unknown => {
  if (cause instanceof LogFault) return cause
  const message = cause instanceof Error ? cause.message : String(cause)
  const code = serverErrorOf(cause) === 'full' ? 'disk_full' : 'write_failed'
  return new LogFault(code, `NATS refused a write: ${message}.`, { cause })
}
