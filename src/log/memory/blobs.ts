import { blobRefOf } from '../blobs/blob-ref.ts'
import type { BlobStore } from '../log.ts'
import type { MemoryContext } from './context.ts'

/** Blobs in memory. */
export const createBlobStore = ({
  sessions,
  blobs,
  ensureOpen,
  sessionOf,
}: MemoryContext): BlobStore => ({
  async put(sessionId, bytes, mimeType) {
    const session = sessionOf(sessionId)
    const ref = blobRefOf(bytes, mimeType)
    session.blobs.add(ref.hash)
    if (!blobs.has(ref.hash))
      blobs.set(ref.hash, { bytes: bytes.slice(), ...(mimeType !== undefined && { mimeType }) })
    return ref
  },
  async get(hash) {
    ensureOpen()
    const blob = blobs.get(hash)
    return blob && { ...blob, bytes: blob.bytes.slice() }
  },
  async owners(hash) {
    ensureOpen()
    return [...sessions].filter(([, each]) => each.blobs.has(hash)).map(([id]) => id)
  },
  async bytesOf(sessionId) {
    ensureOpen()
    const hashes = [...(sessions.get(sessionId)?.blobs ?? [])]
    return hashes.reduce((sum, hash) => sum + (blobs.get(hash)?.bytes.byteLength ?? 0), 0)
  },
})
