import type { Decoder, DecoderOptions } from '../agent.ts'
import { createEventQueue } from '../emit.ts'
import { createOpenEvents } from './open-events.ts'
import { isDemoEvent, replyOf } from './wire.ts'

/**
 * Reads the demo, which prints events: those that are complete and in order pass unchanged, every
 * other line becomes `raw`. Its ids are unique across processes, so it ignores `scope`.
 */
export const createDemoDecoder = (options: DecoderOptions = {}): Decoder => {
  const open = createOpenEvents()
  const { emit, take } = createEventQueue('demo')

  return {
    push(line) {
      const reply = replyOf(line)
      if (reply) {
        options.onReply?.(reply)
        return []
      }
      const isKnown = isDemoEvent(line) && open.accept(line)
      emit(isKnown ? line : { type: 'raw', agent: 'demo', line })
      return take()
    },
    end: () => open.close('interrupted'),
  }
}
