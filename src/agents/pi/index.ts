import type { Agent, Decoder, DecoderOptions } from '../agent.ts'
import { createAnyFormatDecoder } from '../any-format.ts'
import { piCommand } from './command.ts'
import { createPiDecoder } from './decode.ts'
import { piEntry } from './entry.ts'
import { piKnownCall } from './known-calls.ts'
import { piLive } from './live.ts'
import { startPiInProject } from './project.ts'
import { createPiFileDecoder, isPiFileLine, isPiStreamLine } from './session-file.ts'
import { createPiShortcut } from './shortcut.ts'
import { piStartProblem } from './start.ts'

/** The Pi coding agent. */
export const pi: Agent = {
  ...piEntry,
  // SIGINT would leave a running command of its bash tool behind, without a parent.
  stopSignals: ['SIGTERM', 'SIGKILL'],
  command: piCommand,
  resumeArgs: (id) => ['--session', id],
  createDecoder: createAnyPiDecoder,
  knownCall: piKnownCall,
  live: piLive,
  startProblem: piStartProblem,
  startInProject: startPiInProject,
  createShortcut: createPiShortcut,
}

/** Reads streams and session files. */
function createAnyPiDecoder(options?: DecoderOptions): Decoder {
  return createAnyFormatDecoder(
    [
      { recognises: isPiStreamLine, createDecoder: createPiDecoder },
      { recognises: isPiFileLine, createDecoder: createPiFileDecoder },
    ],
    options,
  )
}
