import { blobIn } from '../../../src/events/blob-preview.ts'
import type { BlobRef, Block } from '../../../src/events/types.ts'
import type { ToolEntry } from '../../../src/transcript/index.ts'

/** The text that a tool has returned: its result, or what it has printed so far. */
export const toolOutput = (entry: ToolEntry): string => {
  if (entry.result) return entry.result.output ?? blockText(entry.result.content)
  if (entry.output !== '') return entry.output
  return typeof entry.shown === 'string' ? entry.shown : ''
}

/** The text in some blocks. */
export const blockText = (content: readonly Block[]): string =>
  content
    .flatMap((block) =>
      block.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
    )
    .join('\n')

/** The blobs that hold the full output, where it was too long for an event. */
export const fullOutputBlobs = (entry: ToolEntry): readonly BlobRef[] => {
  const { result, shownBlob, outputBlobs = [] } = entry
  if (!result) return shownBlob ? [shownBlob] : outputBlobs
  if (result.outputBlob) return [result.outputBlob]
  return result.content.flatMap((block) => (block.type === 'text' && blobIn(block)) || [])
}
