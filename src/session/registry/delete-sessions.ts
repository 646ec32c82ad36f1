import type { Totals } from '../../events/types.ts'
import type { ActionDone } from '../../log/auditor.ts'
import type { Log } from '../../log/log.ts'
import { unknownSession } from '../../log/log-fault.ts'
import type { SessionRecord } from '../../log/types.ts'
import { loadLedger } from '../recording/ledger-checkpoints.ts'
import type { RegistryDeps } from './load-session.ts'
import type { LoadedSessions } from './loaded-sessions.ts'
import type { Sessions } from './sessions.ts'

export interface DeleteSessionsOptions {
  deps: Pick<
    RegistryDeps,
    'log' | 'now' | 'recordAction' | 'onError' | 'releaseDeleted' | 'ownership'
  >
  loaded: LoadedSessions
  /** Called with the record that the session had, once it is deleted. */
  onDeleted(record: SessionRecord): void
}

/** Deletes sessions for good. */
export const createDeleteSessions = ({
  deps: { log, now, recordAction, onError, releaseDeleted, ownership },
  loaded,
  onDeleted,
}: DeleteSessionsOptions): Pick<Sessions, 'remove' | 'removeIfUnused'> => {
  const deleteSession = async (
    record: SessionRecord,
    done: Pick<ActionDone, 'by' | 'detail'>,
  ): Promise<void> => {
    const { id } = record
    await loaded.unload(id, 'removed')
    // What an imported session used was not spent here.
    const usage = record.imported ? undefined : await usageOf(log, id, onError)
    await log.sessions.remove(id, usage)
    await ownership?.remove(id).catch(onError)
    recordAction({ action: 'session_deleted', sessionId: id, ...done })
    onDeleted(record)
    await releaseDeleted?.(record).catch(onError)
  }

  return {
    async remove(id, { by } = {}) {
      const record = await log.sessions.get(id)
      if (!record) throw unknownSession(id)
      await deleteSession(record, { by, detail: record.name })
    },
    async removeIfUnused(id, { by, detail }) {
      const record = await log.sessions.get(id)
      if (ownership?.isElsewhere(id)) return false
      if (!record || record.pinned === true || (await hasWork(log, loaded, id))) return false
      // From now on nothing can load the session and give it work.
      await log.sessions.update(id, { removedAt: record.removedAt ?? now() })
      if (await hasWork(log, loaded, id)) {
        await log.sessions.update(id, { removedAt: record.removedAt ?? null })
        return false
      }
      await deleteSession(record, { by, detail })
      return true
    },
  }
}

/** Whether more would be lost than what is stored: a run, an open approval, a waiting message. */
const hasWork = async (log: Log, loaded: LoadedSessions, id: string): Promise<boolean> => {
  const [record, approvals, commands] = await Promise.all([
    log.sessions.get(id),
    log.approvals.list({ sessionId: id, status: 'pending' }),
    log.commands.list(id),
  ])
  const isOpen = record?.state === 'running' || approvals.length > 0 || commands.length > 0
  // Last, so that nothing can change before the caller goes on.
  return isOpen || loaded.peek(id)?.session.canUnload() === false
}

/** What a session has used. A session that cannot be read is deleted without it. */
const usageOf = async (
  log: Log,
  id: string,
  onError: (cause: unknown) => void,
): Promise<Totals | undefined> => {
  try {
    return (await loadLedger(log, id)).totals()
  } catch (cause) {
    onError(cause)
    return undefined
  }
}
