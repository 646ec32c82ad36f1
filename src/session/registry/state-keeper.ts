import type { Log } from '../../log/log.ts'
import type { SharedLog } from '../../log/shared-log.ts'
import type { SessionRecord } from '../../log/types.ts'
import { defined } from '../../shared/fields.ts'
import type { RecordChange } from '../conversation/session-deps.ts'
import type { Ownership } from './ownership.ts'

/**
 * Corrects the states in the records of the sessions that this node has loaded. A node that has lost a session
 * can store a change late, behind those of the node that has the session now.
 */
export interface StateKeeper {
  /** A session is being loaded: it is idle. */
  opened(id: string): void
  /** A session changes its record. */
  changed(id: string, change: StateChange): void
  /** A session was unloaded: its record is not corrected any more. */
  closed(id: string): void
  close(): void
}

type StateChange = Pick<RecordChange, 'state' | 'pid'>

export interface StateKeeperOptions {
  log: {
    sessions: Pick<Log['sessions'], 'get'>
    shared?: Pick<SharedLog, 'onRecord'> | undefined
  }
  ownership: Pick<Ownership, 'holds'>
  /** Whether changes of a record are being stored. */
  isSaving(id: string): boolean
  save(id: string, change: StateChange): void
  onError(cause: unknown): void
}

/** Two nodes that both think that they own a session must not correct each other without a pause. */
const delayMs = 1000

export const createStateKeeper = (options: StateKeeperOptions): StateKeeper => {
  const { log, ownership, isSaving, save, onError } = options
  /** What the records must have, by session. */
  const states = new Map<string, StateChange>()
  const timers = new Map<string, NodeJS.Timeout>()

  const check = async (id: string): Promise<void> => {
    const record = await log.sessions.get(id)
    const expected = states.get(id)
    if (!ownership.holds(id)) states.delete(id)
    else if (isSaving(id)) checkLater(id)
    else if (record && expected && !agree(record, expected)) save(id, expected)
  }
  const checkLater = (id: string): void => {
    if (timers.has(id) || !states.has(id)) return
    const timer = setTimeout(() => {
      timers.delete(id)
      check(id).catch(onError)
    }, delayMs)
    timers.set(id, timer.unref())
  }
  const stop = log.shared?.onRecord(({ kind, id }) => {
    if (kind === 'session') checkLater(id)
  })

  return {
    opened: (id) => void states.set(id, { state: 'idle', pid: null }),
    changed(id, { state, pid }) {
      states.set(id, { ...states.get(id), ...defined({ state, pid }) })
    },
    closed: (id) => void states.delete(id),
    close() {
      stop?.()
      states.clear()
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}

const agree = (record: SessionRecord, { state, pid }: StateChange): boolean =>
  record.state === state && (record.pid ?? null) === pid
