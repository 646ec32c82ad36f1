import type { Agent } from '../agent.ts'
import { qwenCommand } from './command.ts'
import { createQwenDecoder } from './decode.ts'
import { qwenEntry } from './entry.ts'
import { qwenKnownCall } from './known-calls.ts'
import { qwenLive } from './live.ts'
import { startQwenInProject } from './project.ts'

/** Qwen Code. */
export const qwen: Agent = {
  ...qwenEntry,
  // On SIGINT it completes the message that it was writing.
  stopSignals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
  command: qwenCommand,
  resumeArgs: (id) => ['--resume', id],
  createDecoder: createQwenDecoder,
  knownCall: qwenKnownCall,
  live: qwenLive,
  startInProject: startQwenInProject,
}
