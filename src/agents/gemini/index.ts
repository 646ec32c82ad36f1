import type { Agent, Decoder, DecoderOptions } from '../agent.ts'
import { createAnyFormatDecoder } from '../any-format.ts'
import { geminiCommand, geminiOneShotOptions } from './command.ts'
import { createGeminiDecoder, isGeminiStreamLine } from './decode.ts'
import { geminiEntry } from './entry.ts'
import { geminiKnownCall } from './known-calls.ts'
import { geminiLive } from './live.ts'
import { startGeminiInProject } from './project.ts'
import { createGeminiFileDecoder, isGeminiFileLine } from './session-file.ts'

/** Gemini CLI. */
export const gemini: Agent = {
  ...geminiEntry,
  // It prints no result after a signal. SIGTERM lets it end its commands.
  stopSignals: ['SIGTERM', 'SIGKILL'],
  command: geminiCommand,
  resumeArgs: (id) => ['--resume', id],
  oneShotOptions: geminiOneShotOptions,
  createDecoder: createAnyGeminiDecoder,
  knownCall: geminiKnownCall,
  live: geminiLive,
  startInProject: startGeminiInProject,
  // Otherwise it runs no single prompt, and no mode but its first one, in directories that are new to it.
  emptyProjectEnv: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
}

/** Reads streams and session files. */
function createAnyGeminiDecoder(options?: DecoderOptions): Decoder {
  return createAnyFormatDecoder(
    [
      { recognises: isGeminiStreamLine, createDecoder: createGeminiDecoder },
      { recognises: isGeminiFileLine, createDecoder: createGeminiFileDecoder },
    ],
    options,
  )
}
