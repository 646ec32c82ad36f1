import type { Conversation } from '../events/types.ts'

type Messages = Conversation['messages']

/**
 * The messages that the model still sees, in its order. A transcript has a summary where the
 * compaction happened; the model sees it before the messages that the agent kept.
 */
export const modelView = (messages: Messages): Messages => {
  const seen = messages.filter(({ outOfContext }) => !outOfContext)
  const at = seen.findLastIndex(({ role }) => role === 'compactionSummary')
  return at < 1 ? seen : [...seen.slice(at, at + 1), ...seen.slice(0, at), ...seen.slice(at + 1)]
}
