import type { Database } from './database.ts'
import type { Records } from './records.ts'
import type { Places } from './session-rows.ts'
import type { Writes } from './writes.ts'

/** What the parts of a SQLite log stand on. */
export interface Base {
  database: Database
  writes: Writes
  records: Records
  places: Places
  /** Refuses a read of a log that is closed. Writes see to it themselves. */
  ensureOpen(): void
}
