import { isMentionable, mentionOf } from '../../events/mention.ts'
import type { StampedEvent } from '../../events/types.ts'

/** What a person can call by name in a chat, as the agent has listed it last. */
export interface Mentions {
  /** Reads an event that may have a new list. */
  follow(event: StampedEvent): void
  /** Such as `/review` and `@agent-Explore`. */
  list(): readonly string[]
}

export const createMentions = (earlier: readonly StampedEvent[]): Mentions => {
  let mentions: readonly string[] = []

  const follow = (event: StampedEvent): void => {
    if (event.type !== 'session_start' && event.type !== 'session_update') return
    if (event.parentToolCallId === undefined && event.commands)
      mentions = event.commands.filter(isMentionable).map(mentionOf).sort()
  }

  for (const event of earlier) follow(event)
  return { follow, list: () => mentions }
}
