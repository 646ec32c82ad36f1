import type { Agent } from '../../agents/agent.ts'
import type { RestoredFiles } from '../../agents/live.ts'
import type { AgentEvent } from '../../events/types.ts'
import { visibleName } from '../../shared/visible-name.ts'
import type { ConversationArrival, SessionStart } from './session-deps.ts'

/** A message that people see once. */
const notice = (text: string, level = 'info'): AgentEvent => ({
  type: 'session_update',
  notice: { level, text },
})

export const stillQueuedNotice = (count: number): AgentEvent =>
  notice(
    count === 1
      ? '1 message is still queued. It will be sent after your next prompt.'
      : `${count} messages are still queued. They will be sent after your next prompt.`,
  )

export const lostMessagesNotice = (count: number): AgentEvent =>
  notice(
    count === 1
      ? '1 queued message was lost when the agent ended. Send it again if you still need it.'
      : `${count} queued messages were lost when the agent ended. Send them again if you still need them.`,
  )

export const notSentNotice = (reason: string): AgentEvent =>
  notice(`The next queued message could not be sent and stays in the queue: ${reason}`)

export const unpricedNotice = (models: readonly string[]): AgentEvent =>
  notice(
    `There is no price for ${models.slice(0, 3).map(visibleName).join(', ')}, so limits on money leave it out. Set a price (sluice prices set), or limit the tokens.`,
    'warning',
  )

export const restartNotice: AgentEvent = notice(
  'The agent ended while it was starting. Sluice starts it again.',
)

export const silentNotice = (agent: string, ms: number): AgentEvent =>
  notice(
    `${agent} has not responded for ${Math.round(ms / 1000)} seconds. It may still be starting, or it may be stuck. Stop the run to end its process.`,
    'warning',
  )

export const newConversationNotice: AgentEvent = notice(
  'The agent has no record of this conversation. It starts a new one, without the earlier messages.',
)

/** Where the conversation of a new session comes from; undefined if it has none yet. */
export const originNotice = (
  { forkedFrom, forkedBefore, continuedNativeId }: SessionStart,
  { title }: Pick<Agent, 'title'>,
): AgentEvent | undefined => {
  if (forkedFrom !== undefined)
    return notice(
      `Continues from ${forkedBefore === undefined ? '' : 'an earlier point of '}session ${forkedFrom}, which stays as it is.`,
    )
  if (continuedNativeId === undefined) return undefined
  return notice(
    `Continues conversation ${continuedNativeId} of ${title}. Its earlier messages are not shown here.`,
  )
}

/** How the conversation came here from another node. */
export const arrivalNotice = (
  arrival: ConversationArrival,
  { title }: Pick<Agent, 'title'>,
): AgentEvent => {
  const { outcome } = arrival
  if (outcome === 'restored')
    return notice(
      `${title} resumes from the history that node ${visibleName(arrival.node)} stored.`,
    )
  const text =
    outcome === 'missing'
      ? `This node did not get the earlier conversation of ${title}. ${arrival.reason}.`
      : `What node ${visibleName(arrival.node)} stored of the conversation cannot be used. ${arrival.reason}. ${title} resumes from the copy on this node, which may be older.`
  return notice(text, 'warning')
}

export const restoredNotice = ({ paths }: RestoredFiles, by: string | undefined): AgentEvent => {
  const named = paths.slice(0, namedFiles).map(visibleName).join(', ')
  const more = paths.length > namedFiles ? ` and ${paths.length - namedFiles} more` : ''
  const author = by === undefined ? '' : ` by ${by}`
  return notice(
    `Files were restored to their state before an earlier message${author}: ${named}${more}. The conversation stays as it is.`,
  )
}

/** How many files a notice names. */
const namedFiles = 5

export const leftOutNotice = (agent: string, paths: readonly string[]): AgentEvent => {
  const named = paths.slice(0, namedFiles).map(visibleName).join(', ')
  const more = paths.length > namedFiles ? ` and ${paths.length - namedFiles} more` : ''
  return notice(
    `${agent} started without the project’s own settings and extensions, because the directory is not trusted. Left out: ${named}${more}.`,
  )
}
