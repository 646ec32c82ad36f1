import type { Pages } from '../support/pages.ts'
import type { SluiceServer } from '../support/server.ts'

/** The server and the browser that a scene uses. */
export interface SceneSetup {
  readonly pages: Pages
  readonly server: SluiceServer
}

/** Defines the tests of one topic. `setup` works once they run. */
export type Scene = (setup: () => SceneSetup) => unknown
