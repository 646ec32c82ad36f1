import { acpKnownCall } from '../acp/known-calls.ts'
import type { Agent } from '../agent.ts'
import { clineCommand } from './command.ts'
import { createClineDecoder } from './decode.ts'
import { clineEntry } from './entry.ts'
import { clineLive } from './live.ts'
import { startClineInProject } from './project.ts'

/** Cline’s CLI. */
export const cline: Agent = {
  ...clineEntry,
  // After SIGINT it exits with 0 and prints no end of the run.
  stopSignals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
  command: clineCommand,
  resumeArgs: (id) => ['--id', id],
  createDecoder: createClineDecoder,
  live: clineLive,
  knownCall: acpKnownCall,
  startInProject: startClineInProject,
}
