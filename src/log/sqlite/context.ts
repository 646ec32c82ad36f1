import type { Database } from './database.ts'
import type { Records } from './records.ts'
import type { SessionRows } from './session-rows.ts'
import type { Writes } from './writes.ts'

/** What the parts of a SQLite log stand on. */
export interface SqliteContext {
  database: Database
  writes: Writes
  records: Records
  places: SessionRows
  /** Refuses a read of a log that is closed. Writes see to it themselves. */
  ensureOpen(): void
}
