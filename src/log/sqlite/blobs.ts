import { blobRefOf } from '../blobs/blob-ref.ts'
import type { BlobStore } from '../log.ts'
import type { SqliteContext } from './context.ts'
import {
  columnOf,
  type Database,
  numberColumn,
  prepareStatement,
  readableRows,
  textColumn,
} from './database.ts'
import type { UnusedBlobs } from './unused-blobs.ts'

/** Deletes the blob with a hash, unless a session still owns it. */
export const deleteUnownedSql = `DELETE FROM blobs WHERE hash = ?1
  AND NOT EXISTS (SELECT 1 FROM blob_owners WHERE blob_owners.hash = ?1)`

/** The blobs table, and the table of the sessions that own each blob. */
export const createBlobStore = (
  context: SqliteContext,
  unused: Pick<UnusedBlobs, 'onPut'>,
): BlobStore => {
  const { database, writes, sessionRows, reports, ensureOpen } = context
  const insert = prepareStatement(
    database,
    'INSERT OR IGNORE INTO blobs (hash, mime_type, bytes) VALUES (?, ?, ?)',
  )
  const insertOwner = prepareStatement(
    database,
    'INSERT OR IGNORE INTO blob_owners (hash, session) VALUES (?, ?)',
  )
  const selectOwners = prepareStatement(
    database,
    'SELECT id FROM blob_owners JOIN sessions ON number = session WHERE hash = ?',
  )
  const selectBytes = prepareStatement(
    database,
    `SELECT coalesce(sum(octet_length(bytes)), 0)
    FROM blob_owners JOIN blobs USING (hash) WHERE session = ?`,
  )
  const select = prepareStatement(database, 'SELECT bytes, mime_type FROM blobs WHERE hash = ?')
  const update = prepareStatement(database, 'UPDATE blobs SET bytes = ? WHERE hash = ?')
  /** Hashes of blobs that are not what was put. */
  const damaged = new Set<string>()

  return {
    async put(sessionId, bytes, mimeType) {
      const ref = blobRefOf(bytes, mimeType)
      const copy = bytes.slice() // written later: the caller may reuse its buffer by then
      await writes.add(() => {
        const session = sessionRows.get(sessionId)
        unused.onPut(session, ref.hash)
        // A damaged copy is replaced.
        if (damaged.delete(ref.hash)) update.run(copy, ref.hash)
        else insert.run(ref.hash, mimeType ?? null, copy)
        insertOwner.run(ref.hash, session.number)
      }, ref.size)
      return ref
    },
    async get(hash) {
      ensureOpen()
      const { rows, isComplete } = readableRows(select, hash)
      const [row] = rows
      if (isComplete && row === undefined) return undefined
      const bytes = columnOf(row, 0)
      const mimeType = columnOf(row, 1)
      if (!(bytes instanceof Uint8Array) || blobRefOf(bytes).hash !== hash) {
        damaged.add(hash)
        reports.add({ kind: 'blob', id: hash, reason: 'The blob is damaged. It counts as absent.' })
        return undefined
      }
      return { bytes, ...(typeof mimeType === 'string' && { mimeType }) }
    },
    async owners(hash) {
      ensureOpen()
      return selectOwners.all(hash).map((row) => textColumn(row))
    },
    async bytesOf(sessionId) {
      ensureOpen()
      const session = sessionRows.find(sessionId)
      return session ? numberColumn(selectBytes.get(session.number)) : 0
    },
  }
}

/** Reads blobs of a database that another thread or process writes. A damaged one counts as absent. */
export const createBlobReader = (database: Pick<Database, 'prepare'>): BlobStore['get'] => {
  const select = prepareStatement(database, 'SELECT bytes, mime_type FROM blobs WHERE hash = ?')
  return async (hash) => {
    const [row] = readableRows(select, hash).rows
    const bytes = columnOf(row, 0)
    const mimeType = columnOf(row, 1)
    if (!(bytes instanceof Uint8Array) || blobRefOf(bytes).hash !== hash) return undefined
    return { bytes, ...(typeof mimeType === 'string' && { mimeType }) }
  }
}
