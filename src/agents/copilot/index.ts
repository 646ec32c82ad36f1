import type { Agent } from '../agent.ts'
import { copilotCommand } from './command.ts'
import { createCopilotDecoder } from './decode.ts'
import { copilotEntry } from './entry.ts'
import { copilotLive } from './live.ts'

/** GitHub Copilot’s CLI. */
export const copilot: Agent = {
  ...copilotEntry,
  // SIGINT stops the model call and the tools, and prints how the run ended.
  stopSignals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
  command: copilotCommand,
  createDecoder: createCopilotDecoder,
  live: copilotLive,
}
