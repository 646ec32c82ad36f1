import type { Decoder, DecoderOptions } from '../agent.ts'
import { createAnyFormatDecoder } from '../any-format.ts'
import { createRunDecoder, isRunLine } from './run-stream.ts'
import { createServeDecoder, isServeLine } from './serve-stream.ts'

/** Reads `opencode run --format json` and the events of `opencode serve`. */
export const createOpenCodeDecoder = (options: DecoderOptions = {}): Decoder =>
  createAnyFormatDecoder(
    [
      { recognises: isRunLine, createDecoder: createRunDecoder },
      { recognises: isServeLine, createDecoder: createServeDecoder },
    ],
    options,
  )
