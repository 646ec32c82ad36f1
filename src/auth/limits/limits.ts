import { type BodyBudget, type BodyBudgetOptions, createBodyBudget } from './body-budget.ts'
import { createRequestRate, type RequestRate, type RequestRateOptions } from './request-rate.ts'
import {
  createSilentConnections,
  type SilentConnectionOptions,
  type SilentConnections,
} from './silent-connections.ts'
import { createStreamCount, type StreamCount, type StreamCountOptions } from './stream-count.ts'

export interface LimitOptions {
  /** Requests per key. */
  requests?: RequestRateOptions
  /** Requests with a wrong token, per address. */
  refusals?: RequestRateOptions
  /** Open streams. */
  connections?: StreamCountOptions
  /** Connections that have not sent a request yet. */
  silent?: SilentConnectionOptions
  /** How many connections may be open in all, streams included. Default: 12,000. */
  sockets?: number
  /** How long the headers of a request may take to arrive. Default: 10 seconds. */
  headersMs?: number
  /** How long a whole request may take to arrive. Default: 2 minutes. */
  requestMs?: number
  /** The most bytes of one body. A prompt may hold images. */
  bodyBytes?: number
  /** All large bodies together. */
  bodies?: BodyBudgetOptions
  /** How many sessions a key may have created that has no quota of its own. Default: 10,000. */
  sessionsPerKey?: number
  /** How many bytes the sessions of a key may fill that has no quota of its own. Default: no limit. */
  diskBytesPerKey?: number
}

/** Everything that the server limits. */
export interface Limits {
  readonly requests: RequestRate
  readonly refusals: RequestRate
  readonly connections: StreamCount
  readonly silent: SilentConnections
  readonly sockets: number
  readonly headersMs: number
  readonly requestMs: number
  readonly bodyBytes: number
  readonly bodies: BodyBudget
  readonly sessionsPerKey: number
  readonly diskBytesPerKey: number | undefined
}

/** The quotas of keys that have none of their own. */
export const quotasOf = ({ sessionsPerKey = 10_000, diskBytesPerKey }: LimitOptions = {}) => ({
  sessionsPerKey,
  diskBytesPerKey,
})

/** The defaults are high enough that only abuse reaches them. */
export const createLimits = (options: LimitOptions = {}): Limits => ({
  // After a restart, a thousand readers with the same key may reconnect at once.
  requests: createRequestRate(options.requests ?? { burst: 2000, perSecond: 200 }),
  refusals: createRequestRate(options.refusals ?? { burst: 100, perSecond: 10 }),
  connections: createStreamCount(options.connections ?? { total: 10_000, perCaller: 2000 }),
  silent: createSilentConnections(options.silent ?? { total: 1000, perAddress: 200 }),
  sockets: options.sockets ?? 12_000,
  headersMs: options.headersMs ?? 10_000,
  requestMs: options.requestMs ?? 120_000,
  bodyBytes: options.bodyBytes ?? 16 * 1024 * 1024,
  bodies: createBodyBudget(options.bodies ?? { total: 32 * 1024 * 1024 }),
  ...quotasOf(options),
})
