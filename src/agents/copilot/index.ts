import { acpKnownCall } from '../acp/known-calls.ts'
import type { Agent } from '../agent.ts'
import { copilotCommand } from './command.ts'
import { createCopilotDecoder } from './decode.ts'
import { copilotEntry } from './entry.ts'
import { copilotLive } from './live.ts'
import { startCopilotInProject } from './project.ts'

/** GitHub Copilot’s CLI. */
export const copilot: Agent = {
  ...copilotEntry,
  // SIGINT stops the model call and the tools, and prints how the run ended.
  stopSignals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
  command: copilotCommand,
  resumeArgs: (id) => [`--resume=${id}`],
  // Its modes exist only in sessions.
  oneShotOptions: [],
  createDecoder: createCopilotDecoder,
  live: copilotLive,
  knownCall: acpKnownCall,
  startInProject: startCopilotInProject,
}
