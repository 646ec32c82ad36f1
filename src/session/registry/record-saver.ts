import { LogFault } from '../../log/log-fault.ts'
import type { SessionPatch } from '../../log/records.ts'
import type { SessionRecord } from '../../log/types.ts'
import { processTable } from '../../process/process-table.ts'
import type { RecordChange } from '../conversation/session-deps.ts'
import type { RegistryDeps } from './load-session.ts'

/** Saves what sessions change in their records. */
export interface RecordSaver {
  onRecord(id: string, change: RecordChange): void
  /** Resolves when the changes of a record are saved. Undefined when there are none. */
  saved(id: string): Promise<void> | undefined
  /** Whether a record has changes that are not saved yet. */
  isSaving(id: string): boolean
}

export interface RecordSaverOptions
  extends Pick<RegistryDeps, 'log' | 'now' | 'ownership' | 'onError'> {
  onSaved(session: SessionRecord): void
}

/** What a later write may succeed after. */
const passingFaults: ReadonlySet<string> = new Set(['unreachable', 'disk_full', 'write_failed'])

/** How long a record waits that could not be saved although the log works. */
const retryMs = 1000

export const createRecordSaver = (options: RecordSaverOptions): RecordSaver => {
  const { log, now, ownership, onError, onSaved } = options
  /** The last change of each record that is being stored. */
  const saving = new Map<string, Promise<void>>()
  /** What comes while a change is being stored: it is stored behind that one, together. */
  const waiting = new Map<string, RecordChange>()
  /** What could not be saved while the log was away or full. It is saved with the next change, or after a while. */
  const missed = new Map<string, RecordChange>()

  const saveRecord = async (id: string, change: RecordChange): Promise<void> => {
    // The record belongs to the node that owns the session.
    if (ownership && !ownership.holds(id)) return void missed.delete(id)
    const whole = { ...missed.get(id), ...change }
    missed.delete(id)
    try {
      onSaved(await log.sessions.update(id, patchOf(whole, now())))
    } catch (cause) {
      // The events have the same facts, so a record that cannot be saved stops nothing.
      if (!(cause instanceof LogFault)) throw cause
      if (!passingFaults.has(cause.code)) return
      missed.set(id, { ...whole, ...missed.get(id) })
      // Its status does not show every full disk, and it may be back already.
      if (log.status().state !== 'unreachable') retryLater()
    }
  }

  /** One change of a record after the other: in a cluster, an older one could be stored last. */
  const onRecord = (id: string, change: RecordChange): void => {
    const isWaiting = waiting.has(id)
    waiting.set(id, { ...waiting.get(id), ...change })
    if (isWaiting) return
    const save = (): Promise<void> => {
      const whole = waiting.get(id) ?? {}
      waiting.delete(id)
      return saveRecord(id, whole)
    }
    const saved = (saving.get(id)?.then(save) ?? save()).catch(onError).then(() => {
      if (saving.get(id) === saved) saving.delete(id)
    })
    saving.set(id, saved)
  }

  const saveMissed = (): void => {
    for (const id of [...missed.keys()]) onRecord(id, {})
  }
  let isRetrying = false
  const retryLater = (): void => {
    if (isRetrying) return
    isRetrying = true
    const retry = () => {
      isRetrying = false
      saveMissed()
    }
    setTimeout(retry, retryMs).unref()
  }
  log.onStatus(({ state }) => {
    if (state === 'ok') saveMissed()
  })

  return {
    onRecord,
    saved: (id) => saving.get(id),
    isSaving: (id) => saving.has(id) || missed.has(id),
  }
}

const patchOf = ({ pid, isActive, ...change }: RecordChange, now: number): SessionPatch => ({
  ...change,
  // A process that ends changes nothing that a person sees.
  ...(pid !== null && { updatedAt: now }),
  ...(isActive && { lastActivity: now }),
  ...(change.name === '' && { name: null }),
  ...(pid === null && { pid, pidStartedAt: null }),
  ...(typeof pid === 'number' && { pid, pidStartedAt: processTable.startTimeOf(pid) ?? null }),
})
