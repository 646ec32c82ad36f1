import type { Decoder, DecoderOptions } from '../agent.ts'
import { createAcpReader } from './reader.ts'

/** Reads the output of an agent that speaks the Agent Client Protocol, without what was written to it. */
export const createAcpDecoder = (options: DecoderOptions = {}, agent = 'acp'): Decoder => {
  const reader = createAcpReader({ agent, scope: options.scope ?? '', isLive: false })
  return {
    push(line) {
      reader.read(line)
      return reader.take()
    },
    end() {
      reader.end()
      return reader.take()
    },
  }
}
