import type { Agent, Decoder, DecoderOptions } from '../agent.ts'
import { createAnyFormatDecoder } from '../any-format.ts'
import { claudeCommand } from './command.ts'
import { createClaudeDecoder } from './decode.ts'
import { claudeEntry } from './entry.ts'
import { isClaudeFileLine } from './file-lines.ts'
import { claudeKnownCall } from './known-calls.ts'
import { claudeLive } from './live.ts'
import { claudeOutputFile } from './output-file.ts'
import { startClaudeInProject } from './project.ts'
import { createClaudeFileDecoder } from './session-file.ts'
import { createClaudeShortcut } from './shortcut.ts'
import { claudeStartProblem } from './start.ts'

/** Claude Code. */
export const claude: Agent = {
  ...claudeEntry,
  // On SIGINT it usually still writes its result, with the cost.
  stopSignals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
  command: claudeCommand,
  resumeArgs: (id) => ['--resume', id],
  createDecoder: createAnyClaudeDecoder,
  knownCall: claudeKnownCall,
  outputFile: claudeOutputFile,
  live: claudeLive,
  startProblem: claudeStartProblem,
  startInProject: startClaudeInProject,
  createShortcut: createClaudeShortcut,
}

/** Reads streams and session files. */
function createAnyClaudeDecoder(options?: DecoderOptions): Decoder {
  return createAnyFormatDecoder(
    [
      { recognises: (line) => !isClaudeFileLine(line), createDecoder: createClaudeDecoder },
      { recognises: isClaudeFileLine, createDecoder: createClaudeFileDecoder },
    ],
    options,
  )
}
