import type { BlobRef, Block } from '../../events/types.ts'
import { createBlobCollector, type ExtractedBlob } from './blob-collector.ts'
import { extractBlock, extractParts } from './extract-parts.ts'
import { previewChars, previewOf, previewOfText } from './preview.ts'
import { contentSize, jsonSize } from './size.ts'

/** A payload that is small enough for an event. */
export interface Extraction<Payload> {
  /** The payload as it was, or a preview of it. */
  payload: Payload
  /** The whole payload, where `payload` is a preview. */
  blob?: BlobRef
}

/** Replaces the payloads of one event that are over a limit by previews. Others are left as they are. */
export interface BlobExtractor {
  text(text: string): Extraction<string>
  /** Extracts a value as one blob. */
  value(value: unknown): Extraction<unknown>
  /**
   * Extracts the text and image blocks inside a tool result one by one, so that each is the same blob
   * wherever it occurs. Where that is not enough, the result becomes one blob.
   */
  result(result: unknown): Extraction<unknown>
  /** Extracts the large parts of blocks. Very many small blocks become one blob. */
  content(content: Block[]): Extraction<Block[]>
  /** Like `content`, but leaves every block in its place. */
  blocks(blocks: Block[]): Block[]
  /** What has been extracted so far. */
  readonly blobs: readonly ExtractedBlob[]
}

/** Brackets, names and types around a payload that is just within the limit. */
const frameSize = 4 * 1024

export const createBlobExtractor = (limit: number): BlobExtractor => {
  const collector = createBlobCollector()
  const isWithinLimit = (value: unknown) => jsonSize(value, limit + frameSize) <= limit + frameSize
  const extractEach = (blocks: Block[]) => blocks.map((block) => extractBlock(block, collector))

  const text = (whole: string): Extraction<string> => {
    if (Buffer.byteLength(whole) <= limit) return { payload: whole }
    return { payload: previewOfText(whole), blob: collector.addText(whole) }
  }

  const value = (whole: unknown): Extraction<unknown> => {
    if (typeof whole === 'string') return text(whole)
    if (isWithinLimit(whole)) return { payload: whole }
    return { payload: previewOf(whole), blob: collector.addJson(whole) }
  }

  return {
    text,
    value,
    result(whole) {
      if (typeof whole === 'string' || isWithinLimit(whole)) return value(whole)
      const before = collector.blobs.length
      const payload = extractParts(whole, collector)
      if (isWithinLimit(payload)) return { payload }
      collector.truncate(before)
      return value(whole)
    },
    content(whole) {
      if (contentSize(whole) <= limit) return { payload: whole }
      const before = collector.blobs.length
      const payload = extractEach(whole)
      if (contentSize(payload) <= limit) return { payload }
      collector.truncate(before)
      const first = whole.slice(0, previewCount(payload))
      return { payload: extractEach(first), blob: collector.addJson(whole) }
    },
    blocks: (whole) => (contentSize(whole) <= limit ? whole : extractEach(whole)),
    blobs: collector.blobs,
  }
}

/** How many of the first blocks make up a preview. */
const previewCount = (content: readonly Block[]): number => {
  let size = 0
  const end = content.findIndex((block) => {
    size += contentSize([block]) + 32
    return size > 2 * previewChars
  })
  return end === -1 ? content.length : end
}
