import type { SessionInfo } from '../../api/types.ts'
import { ApiError } from '../../client/api-error.ts'
import type { Client } from '../../client/client.ts'
import type { ReadCursor } from '../../client/stream/event-cursor.ts'
import type { StampedEvent } from '../../events/types.ts'
import type { RuleListing } from '../../session/rules/rule-book.ts'
import { type AgentChoices, choicesIn } from '../chat/agent-choices.ts'
import type { ChatHistory } from '../chat/chat-backend.ts'
import { printError } from '../terminal.ts'
import type { TrustSource } from '../trust-question.ts'

/** The latest events, and the cursor behind them. */
export const serverHistory = async (
  client: Client,
  id: string,
  limit: number,
): Promise<ChatHistory & { cursor: ReadCursor }> => {
  const { head } = await client.sessions.events(id, { limit: 1 })
  const first = Math.max(0, head - limit)
  const events: StampedEvent[] = []
  let cursor: ReadCursor = first
  for (;;) {
    const page = await client.sessions.events(id, { after: cursor, limit: 5000 })
    events.push(...page.events)
    cursor = page.cursor
    if (page.next === undefined) return { events, isWhole: first === 0, cursor }
  }
}

/** What the server knows about the files of directories. */
export const serverTrust = ({ trust }: Client): TrustSource => ({
  look: (directory: string) =>
    trust.get(directory).catch((cause: unknown) => {
      // This key may not decide, or the directory is gone.
      if (cause instanceof ApiError) return undefined
      throw cause
    }),
  async decide(decision) {
    try {
      await trust.decide(decision)
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause
      printError(cause.detail)
    }
  },
})

/** The rules that hold for a session. */
export const serverRules = async ({ rules }: Client, id: string): Promise<RuleListing> => {
  try {
    const { rules: found, warning } = await rules.ofSession(id)
    return { rules: found, ...(warning !== undefined && { warning }) }
  } catch (cause) {
    if (cause instanceof ApiError) return { rules: [], warning: cause.detail }
    throw cause
  }
}

/** Removes a rule; false when the server refused it. */
export const removeServerRule = async (
  { rules }: Client,
  id: string,
  ruleId: string,
): Promise<boolean> => {
  try {
    await rules.removeFromSession(id, ruleId)
    return true
  } catch (cause) {
    if (cause instanceof ApiError) return false
    throw cause
  }
}

/** What can be changed about the agent of a session. A server that does not say it offers nothing. */
export const serverChoices = async (
  client: Client,
  { id, agent, agentTitle, start, model }: SessionInfo,
): Promise<AgentChoices> => {
  const [agents, list] = await Promise.all([
    client.agents.list().catch(() => []),
    client.sessions.modes(id).catch(() => undefined),
  ])
  const found = agents.find(({ name }) => name === agent)
  return {
    ...choicesIn(found?.capabilities),
    title: agentTitle ?? found?.title ?? agent,
    login: found?.login,
    modes: list?.modes ?? [],
    mode: list?.mode ?? start?.mode,
    level: start?.thinkingLevel,
    model,
  }
}
