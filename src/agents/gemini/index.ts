import type { Agent } from '../agent.ts'
import { geminiCommand, geminiOneShotOptions } from './command.ts'
import { createGeminiDecoder } from './decode.ts'
import { geminiEntry } from './entry.ts'
import { geminiKnownCall } from './known-calls.ts'
import { geminiLive } from './live.ts'
import { startGeminiInProject } from './project.ts'

/** Gemini CLI. */
export const gemini: Agent = {
  ...geminiEntry,
  // It prints no result after a signal. SIGTERM lets it end its commands.
  stopSignals: ['SIGTERM', 'SIGKILL'],
  command: geminiCommand,
  resumeArgs: (id) => ['--resume', id],
  oneShotOptions: geminiOneShotOptions,
  createDecoder: createGeminiDecoder,
  knownCall: geminiKnownCall,
  live: geminiLive,
  startInProject: startGeminiInProject,
  // Otherwise it runs no single prompt, and no mode but its first one, in directories that are new to it.
  emptyProjectEnv: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
}
