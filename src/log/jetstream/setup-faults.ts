import { JetStreamApiError } from '@nats-io/jetstream'
import { jserrors } from '@nats-io/jetstream/internal'
import { errors } from '@nats-io/transport-node'
import { LogFault } from '../log-fault.ts'
import { serverErrorOf } from './server-errors.ts'

/** The fault of a connection that was not made: why, and what to do. */
export const connectFault = (cause: unknown, servers: string): LogFault => {
  if (isInstance(cause, errors.AuthorizationError))
    return new LogFault(
      'login_refused',
      `The NATS server at ${servers} refused the login. Check the user and the password in the address, or the file with the credentials (--creds).`,
      { cause },
    )
  return new LogFault(
    'unreachable',
    `No NATS server answers at ${servers} (${messageOf(cause)}). Start nats-server, or correct the addresses (--nats).`,
    { cause },
  )
}

/** JetStream does not answer. */
export const jetStreamOff = (servers: string, cause?: unknown): LogFault =>
  new LogFault(
    'jetstream_off',
    `The NATS server at ${servers} has no JetStream. Add "jetstream { store_dir: … }" to its configuration, or start it with -js; with accounts, enable JetStream for this one.`,
    { cause },
  )

/** Codes of the JetStream API: a single server has no replicas; a cluster has too few servers, or just now. */
const notClustered = 10074
const noSuitablePeers = 10005
/** Codes of the JetStream API: it is off, for the server or for the account. */
const offCodes: ReadonlySet<number> = new Set([10039, 10076])

/** Whether a code of the JetStream API says that it is off. */
export const isOffCode = (code: number): boolean => offCodes.has(code)

/** Whether a call can work a moment later, for example because the servers of a cluster still start. */
export const isEarly = (cause: unknown): boolean => {
  if (!(cause instanceof JetStreamApiError)) return serverErrorOf(cause) === 'transient'
  if (isOffCode(cause.code) || cause.code === notClustered) return false
  return cause.code === noSuitablePeers || serverErrorOf(cause) === 'transient'
}

/** The fault of streams and buckets that could not be opened or created. */
export const setupFault = (
  cause: unknown,
  { servers, replicas }: { servers: string; replicas: number },
): unknown => {
  if (cause instanceof LogFault) return cause
  if (cause instanceof JetStreamApiError && [notClustered, noSuitablePeers].includes(cause.code))
    return new LogFault(
      'too_few_servers',
      `The NATS servers at ${servers} cannot store everything ${replicas} times (${cause.message}). Start at least ${replicas} servers with JetStream in one cluster, or choose fewer replicas (--replicas).`,
      { cause },
    )
  if (cause instanceof JetStreamApiError && isOffCode(cause.code))
    return jetStreamOff(servers, cause)
  if (isInstance(cause, errors.PermissionViolationError))
    return new LogFault(
      'login_refused',
      `The NATS user may not use the streams of Sluice (${messageOf(cause)}). Name the tenant of the user with --tenant, or give the user the rights of this tenant (sluice nats-config).`,
      { cause },
    )
  if (cause instanceof jserrors.JetStreamNotEnabled || isInstance(cause, errors.TimeoutError))
    return jetStreamOff(servers, cause)
  return cause
}

type ErrorClass = abstract new (...given: never[]) => Error

/** Whether an error, or what caused it, is of a class. */
const isInstance = (cause: unknown, kind: ErrorClass): boolean =>
  cause instanceof kind || (cause instanceof Error && isInstance(cause.cause, kind))

const messageOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return cause.message || messageOf(cause.cause)
}
