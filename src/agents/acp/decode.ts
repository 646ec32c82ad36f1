import type { Decoder, DecoderOptions } from '../agent.ts'
import { createRpcPeer } from '../json-rpc.ts'
import { createAcpReader } from './reader.ts'
import { acpErrorText } from './wire.ts'

/**
 * Reads the output of an agent that speaks the Agent Client Protocol, without what was written to it.
 * `agent` is the name that its events have.
 */
export const createAcpDecoder = (options: DecoderOptions = {}, agent = 'acp'): Decoder => {
  const reader = createAcpReader({ agent, scope: options.scope ?? '', isLive: false })
  const peer = createRpcPeer({ write: () => {}, hasVersion: true })
  return {
    push(line) {
      const message = peer.receive(line)
      if (message.kind !== 'response') reader.read(message, line)
      else if ('result' in message.outcome) reader.readResponse(message.outcome.result)
      else if (reader.isRunning()) reader.promptFailed(message.outcome.error)
      else reader.emit(requestError(acpErrorText(message.outcome.error)))
      return reader.take()
    },
    end() {
      reader.end()
      return reader.take()
    },
  }
}

/** Without knowledge of its request, an error outside of a run is only reported. */
const requestError = (message: string) =>
  ({ type: 'error', code: 'command_failed', message, fatal: false }) as const
