import type { Server } from '../support/server.ts'
import type { Stage } from '../support/stage.ts'

/** What a scene needs; there once the tests run. */
export interface World {
  readonly stage: Stage
  readonly server: Server
}

/** Defines the tests of one part. */
export type Scene = (world: () => World) => unknown
