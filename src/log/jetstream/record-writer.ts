import type { Document, DocumentChange, Documents } from './documents.ts'
import type { RecordWatch } from './record-watch.ts'

/** Writes records, and waits until the index has them. */
export interface RecordWriter {
  /** Like `Documents.change`, for keys of the index: every read that starts later sees the change. */
  change(key: string, change: DocumentChange): Promise<Document | undefined>
}

export const createRecordWriter = (
  documents: Documents,
  watch: Pick<RecordWatch, 'reached' | 'synced'>,
): RecordWriter => ({
  async change(key, change) {
    let isChanged = false
    const document = await documents.change(key, (text) => {
      const next = change(text)
      isChanged = next !== text
      return next
    })
    if (document) await watch.reached(document.revision)
    // A deletion has no revision that this node knows.
    else if (isChanged) await watch.synced()
    return document
  },
})
