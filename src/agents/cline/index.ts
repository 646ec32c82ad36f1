import type { Agent } from '../agent.ts'
import { clineCommand } from './command.ts'
import { createClineDecoder } from './decode.ts'
import { clineEntry } from './entry.ts'
import { clineLive } from './live.ts'

/** Cline’s CLI. */
export const cline: Agent = {
  ...clineEntry,
  // After SIGINT it exits with 0 and prints no end of the run.
  stopSignals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
  command: clineCommand,
  createDecoder: createClineDecoder,
  live: clineLive,
}
