import { blobRef } from '../../../src/events/blob-ref.ts'
import type { BlobRef } from '../../../src/events/types.ts'
import type { ToolEntry } from '../../../src/transcript/index.ts'
import { fieldsOf } from './fields.ts'

/** What is kept apart of a tool’s output, because it was too much. */
export const fullOutputBlobs = (entry: ToolEntry): BlobRef[] => {
  const { result, shownBlob, outputBlobs = [] } = entry
  if (!result) return shownBlob ? [shownBlob] : outputBlobs
  return result.content.flatMap((block) => {
    const { data } = blobRef.safeParse(block.type === 'text' ? fieldsOf(block).blob : undefined)
    return data ? [data] : []
  })
}
