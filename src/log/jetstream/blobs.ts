import { blobRefOf } from '../blobs/blob-ref.ts'
import type { BlobStore } from '../log.ts'
import type { JetStreamContext } from './context.ts'
import { recordKeys } from './record-keys.ts'

/** What is stored about a blob beside its bytes. */
interface BlobNote {
  size: number
  mimeType?: string
  /** The sessions that have put it. */
  owners: string[]
}

/** The blobs, with what only the log calls. */
export interface OwnedBlobStore extends BlobStore {
  /** Deletes the blobs that only this session has put. */
  removeOf(sessionId: string): Promise<void>
}

/** Blobs in the object store, by their hash. */
export const createBlobStore = (context: JetStreamContext): OwnedBlobStore => {
  const { documents, objects, ensureOpen, requireSession } = context
  const noteOf = async (hash: string): Promise<BlobNote | undefined> => {
    ensureOpen()
    const document = await documents.get(recordKeys.blob(hash))
    return document && JSON.parse(document.text)
  }
  const hashesOf = async (sessionId: string): Promise<Record<string, number>> => {
    ensureOpen()
    const document = await documents.get(recordKeys.blobsOf(sessionId))
    return document ? JSON.parse(document.text) : {}
  }

  return {
    async put(sessionId, bytes, mimeType) {
      ensureOpen()
      const ref = blobRefOf(bytes, mimeType)
      const copy = bytes.slice()
      requireSession(sessionId)
      // The owner is stored first: bytes without an owner would never be deleted.
      await documents.change(recordKeys.blobsOf(sessionId), (text) => {
        const sizes: Record<string, number> = text === undefined ? {} : JSON.parse(text)
        return ref.hash in sizes ? text : JSON.stringify({ ...sizes, [ref.hash]: copy.length })
      })
      if (!(await noteOf(ref.hash))) await objects.put(ref.hash, copy)
      await documents.change(recordKeys.blob(ref.hash), (text) => {
        const type = mimeType !== undefined && { mimeType }
        const note: BlobNote =
          text === undefined ? { size: copy.length, ...type, owners: [] } : JSON.parse(text)
        if (note.owners.includes(sessionId)) return text
        return JSON.stringify({ ...note, owners: [...note.owners, sessionId] })
      })
      return ref
    },
    async get(hash) {
      const note = await noteOf(hash)
      const bytes = note && (await objects.get(hash))
      if (!note || !bytes) return undefined
      // The client library returns a view of a larger buffer.
      return {
        bytes: new Uint8Array(bytes),
        ...(note.mimeType !== undefined && { mimeType: note.mimeType }),
      }
    },
    owners: async (hash) => (await noteOf(hash))?.owners ?? [],
    async bytesOf(sessionId) {
      const sizes = Object.values(await hashesOf(sessionId))
      return sizes.reduce((sum, size) => sum + size, 0)
    },
    async removeOf(sessionId) {
      for (const hash of Object.keys(await hashesOf(sessionId))) {
        const left = await documents.change(recordKeys.blob(hash), (text) => {
          if (text === undefined) return undefined
          const note: BlobNote = JSON.parse(text)
          const owners = note.owners.filter((owner) => owner !== sessionId)
          return owners.length === 0 ? undefined : JSON.stringify({ ...note, owners })
        })
        if (!left) await objects.remove(hash)
      }
      await documents.change(recordKeys.blobsOf(sessionId), () => undefined)
    },
  }
}
