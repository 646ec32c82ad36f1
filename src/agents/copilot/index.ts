import { acpKnownCall } from '../acp/known-calls.ts'
import type { Agent, Decoder, DecoderOptions } from '../agent.ts'
import { createAnyFormatDecoder } from '../any-format.ts'
import { copilotCommand } from './command.ts'
import { createCopilotDecoder, isCopilotStreamLine } from './decode.ts'
import { copilotEntry } from './entry.ts'
import { copilotLive } from './live.ts'
import { startCopilotInProject } from './project.ts'
import { createCopilotFileDecoder, isCopilotFileLine } from './session-file.ts'

/** GitHub Copilot’s CLI. */
export const copilot: Agent = {
  ...copilotEntry,
  // SIGINT stops the model call and the tools, and prints how the run ended.
  stopSignals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
  command: copilotCommand,
  resumeArgs: (id) => [`--resume=${id}`],
  // Its modes exist only in sessions.
  oneShotOptions: [],
  createDecoder: createAnyCopilotDecoder,
  live: copilotLive,
  knownCall: acpKnownCall,
  startInProject: startCopilotInProject,
}

/** Reads streams and session files. */
function createAnyCopilotDecoder(options?: DecoderOptions): Decoder {
  return createAnyFormatDecoder(
    [
      { recognises: isCopilotStreamLine, createDecoder: createCopilotDecoder },
      { recognises: isCopilotFileLine, createDecoder: createCopilotFileDecoder },
    ],
    options,
  )
}
