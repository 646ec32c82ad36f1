import type { Decoder, DecoderOptions } from '../agent.ts'
import { createAnyFormatDecoder } from '../any-format.ts'
import { createAppServerDecoder, isAppServerLine } from './app-server.ts'
import { createExecDecoder, isExecLine } from './exec.ts'

/** Reads `codex exec --json` and `codex app-server`. */
export const createCodexDecoder = (options: DecoderOptions = {}): Decoder =>
  createAnyFormatDecoder(
    [
      { recognises: isExecLine, createDecoder: createExecDecoder },
      { recognises: isAppServerLine, createDecoder: createAppServerDecoder },
    ],
    options,
  )
