import type { StoredConversation } from '../../agents/conversations.ts'
import type { Log } from '../../log/log.ts'
import type { SessionRecord } from '../../log/types.ts'
import { Fault } from '../../shared/fault.ts'
import { defined } from '../../shared/fields.ts'
import type { ConversationLister } from './conversation-lister.ts'

/** What a new session needs to continue a conversation that the agent has stored. */
export type ContinuedConversation = Pick<SessionRecord, 'continuedNativeId' | 'title'>

interface Deps {
  lister: ConversationLister
  log: Pick<Log, 'sessions'>
}

interface Wanted {
  agent: string
  cwd: string
  conversationId: string
}

/**
 * Returns a function that finds a conversation and creates a session for it, which is the only one
 * that has it: two processes would write into the same conversation. Rejects with a `Fault` if the
 * agent has none of that id in the directory, cannot continue it, or if another session has it.
 */
export const createConversationClaims = (deps: Deps) => {
  /** Conversations whose session is being created, and not yet in the log. */
  const claimed = new Set<string>()
  return async <Result>(
    wanted: Wanted,
    create: (found: ContinuedConversation) => Promise<Result>,
  ): Promise<Result> => {
    const key = JSON.stringify([wanted.agent, wanted.conversationId])
    if (claimed.has(key)) throw conversationInUse()
    claimed.add(key)
    try {
      return await create(await findConversation(deps, wanted))
    } finally {
      claimed.delete(key)
    }
  }
}

const findConversation = async (
  { lister, log }: Deps,
  { agent, cwd, conversationId: id }: Wanted,
): Promise<ContinuedConversation> => {
  const { conversations, canContinue } = await lister.list({ agent, cwd, wanted: id })
  const found = conversations.find((each) => each.id === id)
  if (!found)
    throw new Fault(
      'unknown_conversation',
      `The agent “${agent}” has no conversation ${id} in ${cwd}.`,
    )
  if (!canContinue)
    throw new Fault('start_not_supported', `The agent “${agent}” cannot continue a conversation.`)
  if ((await sessionsOf(log, agent, [found])).size > 0) throw conversationInUse()
  return { continuedNativeId: id, ...defined({ title: found.title }) }
}

const conversationInUse = (): Fault =>
  new Fault(
    'conversation_in_use',
    'Another session has this conversation already. Continue that session, or fork it.',
  )

/** The sessions that have these conversations, by the ids of the conversations. */
export const sessionsOf = async (
  { sessions }: Pick<Log, 'sessions'>,
  agent: string,
  conversations: readonly StoredConversation[],
): Promise<Map<string, SessionRecord>> => {
  const wanted = new Set(conversations.map(({ id }) => id))
  const found = new Map<string, SessionRecord>()
  let before: SessionRecord | undefined
  do {
    const page = await sessions.list({ agent, before, limit: pageLength })
    for (const record of page) {
      const { nativeId = record.continuedNativeId } = record
      if (nativeId !== undefined && wanted.has(nativeId)) found.set(nativeId, record)
    }
    before = page.length < pageLength ? undefined : page.at(-1)
  } while (before && found.size < wanted.size)
  return found
}

const pageLength = 500
