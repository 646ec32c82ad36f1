import { type BodiesOptions, createBodies } from './bodies.ts'
import { type ConnectionOptions, createConnections } from './connections.ts'
import { createRate, type RateOptions } from './rate.ts'

export interface LimitOptions {
  /** Requests of one key. */
  requests?: RateOptions
  /** Wrong tokens from one address. */
  refusals?: RateOptions
  connections?: ConnectionOptions
  /** Most bytes of a body: a prompt may hold images. */
  bodyBytes?: number
  /** All large bodies together. */
  bodies?: BodiesOptions
}

/** Everything that is limited, with numbers that nobody meets who means well. */
export const createLimits = (options: LimitOptions = {}) => ({
  // A thousand readers of one key may come back at once, as they do after a restart.
  requests: createRate(options.requests ?? { burst: 2000, perSecond: 200 }),
  refusals: createRate(options.refusals ?? { burst: 100, perSecond: 10 }),
  connections: createConnections(options.connections ?? { total: 10_000, perCaller: 2000 }),
  bodyBytes: options.bodyBytes ?? 16 * 1024 * 1024,
  bodies: createBodies(options.bodies ?? { total: 32 * 1024 * 1024 }),
})
export type Limits = ReturnType<typeof createLimits>
