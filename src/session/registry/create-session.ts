import { randomUUID } from 'node:crypto'
import type { AgentEntry } from '../../agents/agent.ts'
import { sessionRefusal, startRefusal } from '../../agents/check-start.ts'
import { isDirectory } from '../../files/is-directory.ts'
import { requireWritable } from '../../log/log-status.ts'
import type { SessionRecord } from '../../log/types.ts'
import { refuseOverlap } from '../../process/overlap.ts'
import { Fault } from '../../shared/fault.ts'
import { defined } from '../../shared/fields.ts'
import { type ContinuedConversation, createConversationClaims } from './continued-conversation.ts'
import type { ConversationLister } from './conversation-lister.ts'
import { createLazySession } from './lazy-session.ts'
import { findProgramOf, type RegistryDeps } from './load-session.ts'
import type { LoadedSessions } from './loaded-sessions.ts'
import type { CreatedSession, CreateSessionOptions, Sessions, StartCheck } from './sessions.ts'

/** The agent of a session that can start as wanted. Throws a `Fault` otherwise. */
export const startableAgent = async (
  deps: RegistryDeps,
  wanted: StartCheck,
): Promise<AgentEntry> => {
  const { agent, cwd, start } = wanted
  const entry = await deps.agentOf(agent, projectOf(wanted))
  const noSessions = sessionRefusal(entry)
  if (noSessions !== undefined) throw new Fault('start_not_supported', noSessions)
  findProgramOf(entry, deps)
  for (const directory of [cwd, ...(start?.directories ?? [])]) refuseOverlap(directory, deps.data)
  const missing = start?.directories?.find((directory) => !isDirectory(directory))
  if (missing !== undefined)
    throw new Fault('start_not_supported', `${missing} is not a directory.`)
  const refusal = start && startRefusal(entry, start)
  if (refusal !== undefined) throw new Fault('start_not_supported', refusal)
  return entry
}

interface CreatorParts {
  loaded: LoadedSessions
  events: { created(record: SessionRecord): void }
  lister: ConversationLister
}

/** Creates sessions. */
export const createCreator = (deps: RegistryDeps, parts: CreatorParts): Sessions['create'] => {
  const { log, now } = deps
  const { loaded, events, lister } = parts
  const claimConversation = createConversationClaims({ lister, log })

  const store = async (
    { by, creatorId, id = randomUUID(), ...wanted }: Omit<CreateSessionOptions, 'conversationId'>,
    more: Pick<SessionRecord, 'agentTitle'> & Partial<ContinuedConversation>,
  ): Promise<CreatedSession> => {
    const createdAt = now()
    const record: SessionRecord = {
      id,
      ...wanted,
      ...more,
      ...defined({ permissionMode: wanted.start?.mode }),
      state: 'idle',
      createdAt,
      updatedAt: createdAt,
      lastActivity: createdAt,
      ...defined({ creatorId: creatorId ?? by?.id }),
    }
    await log.sessions.create(record)
    await deps.ownership?.settle(id)
    const { projectId, agent, cwd } = wanted
    deps.recordAction({
      action: 'session_created',
      by,
      sessionId: id,
      projectId,
      detail: `${agent} in ${cwd}`,
    })
    events.created(record)
    return { record, session: createLazySession(id, loaded, log) }
  }

  return async ({ conversationId, ...options }) => {
    await requireWritable(log)
    const { origin, title } = await startableAgent(deps, options)
    const about = origin ? { agentTitle: title } : {}
    if (conversationId === undefined) return store(options, about)
    const { agent, cwd } = options
    return claimConversation({ agent, cwd, conversationId }, (found) =>
      store(options, { ...about, ...found }),
    )
  }
}

/** The directory that may name the agent: a worktree is made for another one. */
export const projectOf = ({ worktree, cwd }: Pick<StartCheck, 'worktree' | 'cwd'>): string =>
  worktree?.project ?? cwd
