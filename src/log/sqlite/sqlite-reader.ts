import { DatabaseSync } from 'node:sqlite'
import type { LogReader } from '../log.ts'
import { parsePages, readPages } from '../read-pages.ts'
import { createBlobReader } from './blobs.ts'
import { createPageReader } from './events.ts'
import { createSessionDamages } from './session-damages.ts'
import { createSessionQueries } from './session-queries.ts'
import { createSessionRows } from './session-rows.ts'
import { createSnapshotReader } from './snapshots.ts'

/**
 * Opens the database of a log that this or another process has open, to read it on another thread.
 * It shows each session as it is when it is first read, so open it for one job and close it.
 */
export const openSqliteReader = (file: string): LogReader => {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  const damages = createSessionDamages(database, {})
  const sessionRows = createSessionRows(database)
  const context = { database, sessionRows, damages, ensureOpen: () => {} }
  const queries = createSessionQueries(database, damages)
  const pageReader = createPageReader(context)
  const readText: LogReader['readText'] = (sessionId, after, limit) =>
    readPages(pageReader(sessionId), after, limit)
  return {
    sessions: { list: async (filter = {}) => queries.list(filter) },
    snapshots: { get: createSnapshotReader(context) },
    blobs: { get: createBlobReader(database) },
    readText,
    head: async (sessionId) => sessionRows.find(sessionId)?.head ?? 0,
    read: (sessionId, after, limit) => parsePages(readText(sessionId, after, limit)),
    close: async () => database.close(),
  }
}
