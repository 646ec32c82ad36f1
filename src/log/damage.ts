import type { SessionDamage, SessionDamagedEvent } from '../events/types.ts'
import { LogFault } from './log-fault.ts'

/** What kind of thing is damaged. */
export type DamageKind =
  | 'session'
  | 'approval'
  | 'ledger'
  | 'snapshot'
  | 'blob'
  | 'audit'
  | 'project'
  | 'key'
  | 'browser'
  | 'passkey'
  | 'setting'
  | 'trust'
  | 'loop'
  | 'budget'
  | 'command'
  | 'table'

/** One thing in the log that cannot be read. */
export interface Damage {
  readonly kind: DamageKind
  /** The id of the record; of a session for `session`, `ledger` and `snapshot`; the name of a `table` or of the database. */
  readonly id: string
  /** The session that it belongs to, if it belongs to one. */
  readonly sessionId?: string | undefined
  /** With `session`: the first event that cannot be read. */
  readonly seq?: number | undefined
  /** What cannot be read, for people. */
  readonly reason: string
}

/** What a log has found to be damaged. */
export interface DamageReports {
  /** Everything that is known to be damaged, each thing once. */
  list(): readonly Damage[]
  /** Calls the listener when damage is found. Returns the function that ends that. */
  subscribe(listener: (damage: Damage) => void): () => void
}

/** The reports, with what only a log calls. */
export interface DamageCollector extends DamageReports {
  /** Adds a report, unless the same thing was reported before. */
  add(damage: Damage): void
  /** Forgets what is known of something that was deleted or written again. */
  forget(kind: DamageKind, id: string): void
}

export const createDamageCollector = (known: readonly Damage[] = []): DamageCollector => {
  const keyOf = ({ kind, id }: Pick<Damage, 'kind' | 'id'>): string => `${kind} ${id}`
  const found = new Map(known.map((each) => [keyOf(each), each]))
  const listeners = new Set<(damage: Damage) => void>()
  return {
    list: () => [...found.values()],
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    add(damage) {
      const key = keyOf(damage)
      if (found.has(key)) return
      found.set(key, damage)
      for (const listener of listeners) listener(damage)
    },
    forget: (kind, id) => void found.delete(keyOf({ kind, id })),
  }
}

/** The fault of a command to a damaged session. */
export const damagedSession = (sessionId: string, { reason, seq }: SessionDamage): LogFault =>
  new LogFault(
    'damaged',
    `Session ${sessionId} is damaged and accepts no commands. ${reason} To look for damage, run \`sluice check\`.`,
    seq === undefined ? {} : { seq },
  )

/** The event that reports that a session is damaged. */
export const damagedEvent = (
  sessionId: string,
  { seq, reason }: SessionDamage,
): SessionDamagedEvent => ({
  type: 'session_damaged',
  sessionId,
  reason,
  ...(seq !== undefined && { after: seq - 1 }),
})
