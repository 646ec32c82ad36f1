import { unknownSession } from '../../log/log-fault.ts'
import { Fault } from '../../shared/fault.ts'
import { defined } from '../../shared/fields.ts'
import { readOnlySession } from '../../shared/read-only-session.ts'
import type { RegistryDeps } from './load-session.ts'
import type { Sessions } from './sessions.ts'

/** Creates sessions that continue the conversation of another one. No events are copied. */
export const createForker =
  ({ log, agentOf }: RegistryDeps, create: Sessions['create']): Sessions['fork'] =>
  async (id, options = {}) => {
    const record = await log.sessions.get(id)
    if (!record || record.removedAt !== undefined) throw unknownSession(id)
    if (record.imported) throw readOnlySession(id)
    const { agent, cwd, canFork, nativeId, model, projectId, start, worktree, budget } = record
    const { title, capabilities } = await agentOf(agent, cwd)
    if (!(canFork ?? capabilities.fork))
      throw new Fault('start_not_supported', `${title} cannot continue a copy of a conversation.`)
    if (nativeId === undefined)
      throw new Fault(
        'no_conversation',
        `Session ${id} has no conversation to continue yet. Send it a prompt first.`,
      )
    return create({
      agent,
      cwd,
      forkedFrom: id,
      forkedNativeId: nativeId,
      ...defined({ model, projectId, start, worktree, budget }),
      ...options,
    })
  }
