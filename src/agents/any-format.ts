import type { AgentEvent } from '../events/types.ts'
import type { Decoder, DecoderOptions } from './agent.ts'

/** One of several streams that an agent can print. */
export interface KnownFormat {
  /** Whether a line belongs to this format and to no other one. */
  recognises(line: unknown): boolean
  createDecoder(options: DecoderOptions): Decoder
}

/**
 * A decoder for an agent that prints another stream in each of its modes. The first line that one
 * format recognises decides. Lines before it are kept until then; if there is none, the first format
 * reads them.
 */
export const createAnyFormatDecoder = (
  formats: readonly [KnownFormat, ...KnownFormat[]],
  options: DecoderOptions = {},
): Decoder => {
  let decoder: Decoder | undefined
  let early: unknown[] = []

  const choose = (format: KnownFormat): AgentEvent[] => {
    const chosen = format.createDecoder(options)
    decoder = chosen
    const events = early.flatMap((line) => chosen.push(line))
    early = []
    return events
  }

  return {
    push(line) {
      if (decoder) return decoder.push(line)
      early.push(line)
      const format = formats.find(({ recognises }) => recognises(line))
      if (format) return choose(format)
      return early.length < earlyLimit ? [] : choose(formats[0])
    },
    end() {
      const events = decoder ? [] : choose(formats[0])
      return [...events, ...(decoder?.end() ?? [])]
    },
  }
}

/** How many lines may come before a line that identifies the format. */
const earlyLimit = 100
