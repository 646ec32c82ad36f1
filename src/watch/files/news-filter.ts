import type { AgentEvent, StampedEvent } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'

/** Leaves out what a session already has. */
export interface NewsFilter {
  /** Those of the events that are news, in their order. */
  news(events: readonly AgentEvent[]): AgentEvent[]
}

/**
 * A filter for a file that was written anew, such as by a tool that repairs or restores it. Messages and
 * calls that are stored are known by their ids. What has no id, such as the end of a run, is known by its
 * place between them. Behind everything that is stored, all is news.
 */
export const createNewsFilter = async (
  log: Pick<Log, 'read'>,
  sessionId: string,
): Promise<NewsFilter> => {
  /** The types of the stored events; undefined for one that has an id. */
  const types: (AgentEvent['type'] | undefined)[] = []
  const places = new Map<string, number>()
  for await (const event of log.read(sessionId, 0)) {
    const key = keyOf(event)
    if (key !== undefined) places.set(key, types.length)
    types.push(key === undefined ? event.type : undefined)
  }
  const lastKnown = types.lastIndexOf(undefined)
  /** Everything that is stored before this place is passed. */
  let place = 0
  /** Starts that are only emitted with what comes inside them. */
  let waiting: AgentEvent[] = []

  /** Whether an event without an id is stored before the next one that has an id. */
  const isStoredHere = ({ type }: AgentEvent): boolean => {
    for (let at = place; types[at] !== undefined; at += 1)
      if (types[at] === type) {
        place = at + 1
        return true
      }
    return false
  }
  const withWaiting = (event: AgentEvent): AgentEvent[] => [...waiting.splice(0), event]

  const decide = (event: AgentEvent): AgentEvent[] => {
    const key = keyOf(event)
    const known = key === undefined ? undefined : places.get(key)
    if (known !== undefined) {
      place = Math.max(place, known + 1)
      return []
    }
    if (key !== undefined) return withWaiting(event)
    if (isStoredHere(event)) return []
    return place > lastKnown ? withWaiting(event) : between(event)
  }
  /** Of what was put between stored events, only messages and calls are news, with a run around them. */
  const between = (event: AgentEvent): AgentEvent[] => {
    switch (event.type) {
      case 'agent_start':
      case 'turn_start':
        waiting.push(event)
        return []
      case 'agent_end':
        return dropped('agent_start') ? [] : [event]
      case 'turn_end':
        return dropped('turn_start') ? [] : [event]
      default:
        return []
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
const keyOf = (event: AgentEvent | StampedEvent): string | undefined => {
  const { type } = event
  if (type === 'message_update') {
    const update = event.assistantMessageEvent
    const index = 'contentIndex' in update ? update.contentIndex : ''
    const call = 'toolCallId' in update ? update.toolCallId : ''
    return `${type} ${event.messageId} ${update.type} ${index} ${call}`
  }
  if ('messageId' in event && event.messageId !== undefined) return `${type} ${event.messageId}`
  if (type === 'tool_result') return `${type} ${event.message.toolCallId}`
  if ('toolCallId' in event && event.toolCallId !== undefined) return `${type} ${event.toolCallId}`
  return undefined
}
