import type { AgentEvent } from '../events/types.ts'
import type { Decoder } from './agent.ts'

/**
 * Adds to the end of each run the agent’s own id of that point, so that a copy of the conversation can
 * end there. `pointIn`: the id in a line that is stored in the conversation; null if the points before
 * the line are gone; undefined if the line is no point.
 */
export const withForkPoints = (
  decoder: Decoder,
  pointIn: (line: unknown) => string | null | undefined,
): Decoder => {
  let point: string | null = null
  const marked = (events: AgentEvent[]): AgentEvent[] => {
    const index = events.findLastIndex(({ type }) => type === 'agent_end')
    const end = events[index]
    if (end?.type === 'agent_end' && point !== null) events[index] = { ...end, forkPoint: point }
    return events
  }
  return {
    push(line) {
      const found = pointIn(line)
      if (found !== undefined) point = found
      return marked(decoder.push(line))
    },
    end: (exit) => marked(decoder.end(exit)),
  }
}
