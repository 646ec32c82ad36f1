import type { Agent } from '../agent.ts'
import { geminiCommand } from './command.ts'
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
  createDecoder: createGeminiDecoder,
  knownCall: geminiKnownCall,
  live: geminiLive,
  startInProject: startGeminiInProject,
}
