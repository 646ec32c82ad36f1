import type { Agent, Decoder, DecoderOptions } from '../agent.ts'
import { createAnyFormatDecoder } from '../any-format.ts'
import { qwenCommand } from './command.ts'
import { createQwenDecoder, isQwenStreamLine } from './decode.ts'
import { qwenEntry } from './entry.ts'
import { qwenKnownCall } from './known-calls.ts'
import { qwenLive } from './live.ts'
import { startQwenInProject } from './project.ts'
import { createQwenFileDecoder, isQwenFileLine } from './session-file.ts'

/** Qwen Code. */
export const qwen: Agent = {
  ...qwenEntry,
  // On SIGINT it completes the message that it was writing.
  stopSignals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
  command: qwenCommand,
  resumeArgs: (id) => ['--resume', id],
  createDecoder: createAnyQwenDecoder,
  knownCall: qwenKnownCall,
  live: qwenLive,
  startInProject: startQwenInProject,
}

/** Reads streams and session files. */
function createAnyQwenDecoder(options?: DecoderOptions): Decoder {
  return createAnyFormatDecoder(
    [
      { recognises: isQwenStreamLine, createDecoder: createQwenDecoder },
      { recognises: isQwenFileLine, createDecoder: createQwenFileDecoder },
    ],
    options,
  )
}
