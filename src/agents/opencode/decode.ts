import type { Decoder, DecoderOptions } from '../agent.ts'
import { createAnyFormatDecoder } from '../any-format.ts'
import { createRunDecoder, isRunLine } from './run-stream.ts'
import { createServeDecoder, isServeLine } from './serve-stream.ts'
import { createStoreDecoder, isStoreLine } from './store-stream.ts'

/** Reads `opencode run --format json`, the events of `opencode serve`, and the rows of its database. */
export const createOpenCodeDecoder = (options: DecoderOptions = {}): Decoder =>
  createAnyFormatDecoder(
    [
      { recognises: isRunLine, createDecoder: createRunDecoder },
      { recognises: isServeLine, createDecoder: createServeDecoder },
      { recognises: isStoreLine, createDecoder: createStoreDecoder },
    ],
    options,
  )
