import type { Agent } from '../agent.ts'
import { codexCommand } from './command.ts'
import { createCodexDecoder } from './decode.ts'
import { codexEntry } from './entry.ts'
import { codexKnownCall } from './known-calls.ts'
import { codexLive } from './live.ts'
import { codexOneShotOptions } from './one-shot-start.ts'
import { startCodexInProject } from './project.ts'

/** OpenAI’s Codex. */
export const codex: Agent = {
  ...codexEntry,
  stopSignals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
  command: codexCommand,
  resumeArgs: (id) => ['resume', id],
  oneShotOptions: codexOneShotOptions,
  createDecoder: createCodexDecoder,
  knownCall: codexKnownCall,
  live: codexLive,
  startInProject: startCodexInProject,
}
