import type { Agent } from '../agent.ts'
import { claudeCommand } from './command.ts'
import { createClaudeDecoder } from './decode.ts'
import { claudeEntry } from './entry.ts'
import { claudeKnownCall } from './known-calls.ts'
import { claudeLive } from './live.ts'
import { claudeOutputFile } from './output-file.ts'
import { startClaudeInProject } from './project.ts'
import { createClaudeShortcut } from './shortcut.ts'
import { claudeStartProblem } from './start.ts'

/** Claude Code. */
export const claude: Agent = {
  ...claudeEntry,
  // On SIGINT it usually still writes its result, with the cost.
  stopSignals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
  command: claudeCommand,
  resumeArgs: (id) => ['--resume', id],
  createDecoder: createClaudeDecoder,
  knownCall: claudeKnownCall,
  outputFile: claudeOutputFile,
  live: claudeLive,
  startProblem: claudeStartProblem,
  startInProject: startClaudeInProject,
  createShortcut: createClaudeShortcut,
}
