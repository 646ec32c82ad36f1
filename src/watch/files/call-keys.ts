import type { AgentEvent, Message, StampedEvent } from '../../events/types.ts'

/** What identifies a call that is counted, in all copies of a conversation. */
export const usageKeyOf = (
  event: AgentEvent | StampedEvent,
  at: number | undefined,
): string | undefined => {
  if (event.type === 'compaction_end' && event.usage) return compactionKey(at)
  if (event.type !== 'message_end' || !event.message.usage) return undefined
  return messageKeyOf(event.messageId, event.message)
}

export const compactionKey = (at: number | undefined): string => `compaction ${at}`

/** Ids such as `m3` are the decoder’s own: the agent’s own id, or the time, says more. */
export const messageKeyOf = (messageId: string, { nativeId, timestamp }: Message): string =>
  nativeId ?? (timestamp === undefined ? messageId : `at ${timestamp}`)
