import type { Agent } from '../agent.ts'
import { demoCommand } from './command.ts'
import { createDemoDecoder } from './decode.ts'
import { demoLive } from './live.ts'

/** The built-in demonstration: a script instead of a model, which needs no key and no network. */
export const demo: Agent = {
  name: 'demo',
  title: 'Demo',
  // Its own program comes with Sluice; what must be found is the Node that runs it.
  isBuiltIn: true,
  program: 'node',
  programVariable: 'SLUICE_NODE',
  stopSignals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
  command: demoCommand,
  createDecoder: createDemoDecoder,
  live: demoLive,
}
