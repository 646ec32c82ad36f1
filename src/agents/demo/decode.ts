import type { AgentEvent } from '../../events/types.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { opensSession } from '../session-start.ts'
import { isTold, replyOf } from './line.ts'
import { createOpen } from './open.ts'

/**
 * Reads the demo, which speaks in events already: those that are whole and in their place pass
 * unchanged, all else is `raw`. Its ids are unique beyond one process, so `scope` adds nothing.
 */
export const createDemoDecoder = (options: DecoderOptions = {}): Decoder => {
  const open = createOpen()
  let begun = false

  const begin = (event: AgentEvent): AgentEvent[] => {
    const isMissing = !begun && opensSession(event)
    begun = true
    return isMissing ? [{ type: 'session_start', agent: 'demo' }] : []
  }

  return {
    push(line) {
      const reply = replyOf(line)
      if (reply) options.onReply?.(reply)
      if (reply) return []
      if (!isTold(line) || !open.take(line)) return [{ type: 'raw', agent: 'demo', line }]
      return [...begin(line), line]
    },
    end: () => open.close('interrupted'),
  }
}
