import { refOf } from '../blobs/ref-of.ts'
import type { BlobStore } from '../log.ts'
import type { SqliteContext } from './context.ts'
import { prepare, valueIn } from './database.ts'

/** Bytes by their hash, and whose they are. */
export const createBlobs = ({ database, writes, places, ensureOpen }: SqliteContext): BlobStore => {
  const insert = prepare(
    database,
    'INSERT OR IGNORE INTO blobs (hash, mime_type, bytes) VALUES (?, ?, ?)',
  )
  const own = prepare(database, 'INSERT OR IGNORE INTO blob_owners (hash, session) VALUES (?, ?)')
  const select = prepare(database, 'SELECT bytes, mime_type FROM blobs WHERE hash = ?')

  return {
    async put(sessionId, bytes, mimeType) {
      const ref = refOf(bytes, mimeType)
      const copy = bytes.slice() // it is written later, and the caller may use its buffer again
      await writes.add(() => {
        const { session } = places.of(sessionId)
        insert.run(ref.hash, mimeType ?? null, copy)
        own.run(ref.hash, session)
      }, ref.size)
      return ref
    },
    async get(hash) {
      ensureOpen()
      const row = select.get(hash)
      const bytes = valueIn(row, 0)
      const mimeType = valueIn(row, 1)
      if (!(bytes instanceof Uint8Array)) return undefined
      return { bytes, ...(typeof mimeType === 'string' && { mimeType }) }
    },
  }
}
