import type { AgentEvent } from '../../events/types.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { opensSession } from '../emit.ts'
import { createOpenEvents } from './open-events.ts'
import { isDemoEvent, replyOf } from './wire.ts'

/**
 * Reads the demo, which prints events: those that are complete and in order pass unchanged, every
 * other line becomes `raw`. Its ids are unique across processes, so it ignores `scope`.
 */
export const createDemoDecoder = (options: DecoderOptions = {}): Decoder => {
  const open = createOpenEvents()
  let hasStarted = false

  const missingStart = (event: AgentEvent): AgentEvent[] => {
    const isMissing = !hasStarted && opensSession(event)
    hasStarted = true
    return isMissing ? [{ type: 'session_start', agent: 'demo' }] : []
  }

  return {
    push(line) {
      const reply = replyOf(line)
      if (reply) {
        options.onReply?.(reply)
        return []
      }
      if (!isDemoEvent(line) || !open.accept(line)) return [{ type: 'raw', agent: 'demo', line }]
      return [...missingStart(line), line]
    },
    end: () => open.close('interrupted'),
  }
}
