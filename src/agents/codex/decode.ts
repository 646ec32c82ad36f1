import type { Decoder, DecoderOptions } from '../agent.ts'
import { createAnyFormatDecoder } from '../any-format.ts'
import { createAppServerDecoder, isAppServerLine } from './app-server.ts'
import { createExecDecoder, isExecLine } from './exec.ts'
import { createCodexFileDecoder, isCodexFileLine } from './session-file.ts'

/** Reads `codex exec --json`, `codex app-server` and the files in which Codex stores its threads. */
export const createCodexDecoder = (options: DecoderOptions = {}): Decoder =>
  createAnyFormatDecoder(
    [
      { recognises: isExecLine, createDecoder: createExecDecoder },
      { recognises: isAppServerLine, createDecoder: createAppServerDecoder },
      { recognises: isCodexFileLine, createDecoder: createCodexFileDecoder },
    ],
    options,
  )
