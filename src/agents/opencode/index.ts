import type { Agent } from '../agent.ts'
import { openCodeCommand, openCodeOneShotOptions } from './command.ts'
import { createOpenCodeDecoder } from './decode.ts'
import { openCodeEntry } from './entry.ts'
import { openCodeKnownCall } from './known-calls.ts'
import { openCodeLive } from './live.ts'
import { startOpenCodeInProject } from './project.ts'
import { unwrapServeLine } from './serve-stream.ts'

/** The OpenCode coding agent. */
export const openCode: Agent = {
  ...openCodeEntry,
  stopSignals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
  command: openCodeCommand,
  resumeArgs: (id) => ['--session', id],
  oneShotOptions: openCodeOneShotOptions,
  createDecoder: createOpenCodeDecoder,
  unwrapLine: unwrapServeLine,
  knownCall: openCodeKnownCall,
  live: openCodeLive,
  startInProject: startOpenCodeInProject,
}
