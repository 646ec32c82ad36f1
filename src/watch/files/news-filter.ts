import type { AgentEvent, StampedEvent } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'

/** Leaves out what a session already has. */
export interface NewsFilter {
  /** Those of the events that are news, in their order. */
  news(events: readonly AgentEvent[]): AgentEvent[]
}

/**
 * A filter for a file that was written anew, such as by a tool that repairs or restores it. Messages and
 * calls that are stored are known by their ids. Runs and turns that hold nothing new are left out.
 */
export const createNewsFilter = async (
  log: Pick<Log, 'read'>,
  sessionId: string,
): Promise<NewsFilter> => {
  const known = new Set<string>()
  for await (const event of log.read(sessionId, 0)) for (const key of keysOf(event)) known.add(key)
  /** Starts that are only emitted with what comes inside them. */
  let waiting: AgentEvent[] = []

  const decide = (event: AgentEvent): AgentEvent[] => {
    switch (event.type) {
      case 'session_start':
      case 'session_update':
        return []
      case 'agent_start':
      case 'turn_start':
        waiting.push(event)
        return []
      case 'agent_end':
        return dropped('agent_start') ? [] : [event]
      case 'turn_end':
        return dropped('turn_start') ? [] : [event]
      default:
        if (keysOf(event).some((key) => known.has(key))) return []
        return [...waiting.splice(0), event]
    }
  }
  const dropped = (start: AgentEvent['type']): boolean => {
    const at = waiting.findLastIndex(({ type }) => type === start)
    waiting = at === -1 ? waiting : waiting.slice(0, at)
    return at !== -1
  }
  return { news: (events) => events.flatMap(decide) }
}

/** What identifies an event of a message or call. */
const keysOf = (event: AgentEvent | StampedEvent): string[] => {
  const { type } = event
  if (type === 'message_update') {
    const update = event.assistantMessageEvent
    const index = 'contentIndex' in update ? update.contentIndex : ''
    const call = 'toolCallId' in update ? update.toolCallId : ''
    return [`${type} ${event.messageId} ${update.type} ${index} ${call}`]
  }
  if ('messageId' in event && event.messageId !== undefined) return [`${type} ${event.messageId}`]
  if (type === 'tool_result') return [`${type} ${event.message.toolCallId}`]
  if ('toolCallId' in event && event.toolCallId !== undefined)
    return [`${type} ${event.toolCallId}`]
  return []
}
