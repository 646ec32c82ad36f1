import type { Agent } from '../agent.ts'
import { demoCommand } from './command.ts'
import { createDemoDecoder } from './decode.ts'
import { demoEntry } from './entry.ts'
import { demoKnownCall } from './known-calls.ts'
import { demoLive } from './live.ts'

/** The built-in demonstration: a script instead of a model, which needs no key and no network. */
export const demo: Agent = {
  ...demoEntry,
  stopSignals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
  command: demoCommand,
  createDecoder: createDemoDecoder,
  knownCall: demoKnownCall,
  live: demoLive,
}
