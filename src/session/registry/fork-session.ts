import { unknownSession } from '../../log/log-fault.ts'
import type { SessionRecord } from '../../log/types.ts'
import { Fault } from '../../shared/fault.ts'
import { defined } from '../../shared/fields.ts'
import { readOnlyFault } from '../../shared/read-only-session.ts'
import { type CopySource, findForkPoint } from './fork-point.ts'
import type { RegistryDeps } from './load-session.ts'
import type { Sessions } from './sessions.ts'

/** Creates sessions that continue the conversation of another one. No events are copied. */
export const createForker =
  (deps: RegistryDeps, { create, get }: Pick<Sessions, 'create' | 'get'>): Sessions['fork'] =>
  async (id, { beforeMessage, ...options } = {}) => {
    const record = await deps.log.sessions.get(id)
    if (!record || record.removedAt !== undefined) throw unknownSession(id)
    const refusal = readOnlyFault(record)
    if (refusal) throw refusal
    const source =
      beforeMessage === undefined
        ? await wholeConversation(deps, record)
        : await earlierPoint(deps, record, beforeMessage, get)
    const { agent, cwd, model, projectId, start, worktree, budget } = record
    return create({
      agent,
      cwd,
      forkedFrom: id,
      ...source,
      ...defined({ model, projectId, start, worktree, budget, forkedBefore: beforeMessage }),
      ...options,
    })
  }

const wholeConversation = async (
  deps: RegistryDeps,
  record: SessionRecord,
): Promise<CopySource> => {
  const { id, canFork, nativeId } = record
  const { title, capabilities } = await entryOf(deps, record)
  if (!(canFork ?? capabilities.fork))
    throw new Fault('start_not_supported', `${title} cannot continue a copy of a conversation.`)
  if (nativeId === undefined)
    throw new Fault(
      'no_conversation',
      `Session ${id} has no conversation to continue yet. Send it a prompt first.`,
    )
  return { forkedNativeId: nativeId }
}

/** A worktree is not the directory that may name the agent. */
const entryOf = ({ agentOf }: RegistryDeps, { agent, cwd, worktree }: SessionRecord) =>
  agentOf(agent, worktree?.project ?? cwd)

const earlierPoint = async (
  deps: RegistryDeps,
  record: SessionRecord,
  messageId: string,
  get: Sessions['get'],
): Promise<CopySource> => {
  const entry = await entryOf(deps, record)
  if (!entry.capabilities.forkBefore)
    throw new Fault(
      'start_not_supported',
      `${entry.title} cannot continue from an earlier message of a conversation.`,
    )
  return findForkPoint(record, messageId, {
    log: deps.log,
    agent: await entry.load(),
    listPoints: async () => (await (await get(record.id))?.forkPoints()) ?? [],
  })
}
