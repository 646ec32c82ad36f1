import type { AuditAction, AuditEntry } from '../events/types.ts'

/** Who did what: entries are added at the end, and never changed or deleted. */
export interface AuditStore {
  /** Adds an entry, gives it the next number, and returns it. Throws `invalid_record`. */
  append(entry: NewAuditEntry): Promise<AuditEntry>
  /**
   * Stores an entry of another log under its own number, unless there is one with that number. Later entries get
   * higher numbers. Throws `invalid_record`.
   */
  put(entry: AuditEntry): Promise<void>
  /** Lists entries, newest first. */
  list(filter?: AuditFilter): Promise<AuditEntry[]>
}

/** An entry that has no number yet. */
export type NewAuditEntry = Omit<AuditEntry, 'id'>

/** Which entries to list. All conditions must hold. */
export interface AuditFilter {
  sessionId?: string | undefined
  /** The name or the id of the key or browser. */
  actor?: string | undefined
  action?: AuditAction | undefined
  /** Only entries with a lower number. */
  before?: number | undefined
  /** How many entries to list at most; 50 by default. */
  limit?: number | undefined
}
