import type { Block } from '../../events/types.ts'
import { base64FieldIn } from './base64.ts'
import type { BlobCollector } from './blob-collector.ts'
import { previewOf, previewOfText } from './preview.ts'
import { jsonSize } from './size.ts'

/** In a payload that is over the limit, parts up to this size stay. */
const partSize = 16 * 1024
/** Images leave no preview behind, so that smaller ones are extracted too. */
const imageSize = 1024
/** How many levels deep text and image blocks are searched. */
const maxDepth = 64

/** Extracts the text and image blocks inside a value, each as a blob of its own. */
export const extractParts = (value: unknown, collector: BlobCollector, depth = 0): unknown => {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return value
  if (Array.isArray(value)) return value.map((each) => extractParts(each, collector, depth + 1))
  const isFree = !('blob' in value) // the agent’s own field `blob` must not be overwritten
  if (isFree && isText(value)) return extractText(value, collector)
  const encoded = isFree ? base64FieldIn(value) : undefined
  if (encoded && encoded.data.length > imageSize)
    return { ...value, [encoded.field]: '', blob: collector.addBase64(encoded) }
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, extractParts(each, collector, depth + 1)]),
  )
}

/** Extracts the large part of a block. What a model thinks and the calls that it makes stay. */
export const extractBlock = (block: Block, collector: BlobCollector): Block => {
  if (isText(block)) return extractText(block, collector)
  if (isImage(block)) {
    if (block.data.length <= imageSize) return block
    return { ...block, data: '', blob: collector.addBase64({ field: 'data', ...block }) }
  }
  if (block.type === 'thinking' || block.type === 'toolCall') return block
  return extractUnknownBlock(block, collector)
}

const extractText = <Text extends { text: string }>(block: Text, collector: BlobCollector) =>
  block.text.length <= partSize
    ? block
    : { ...block, text: previewOfText(block.text), blob: collector.addText(block.text) }

/** A block of a type that Sluice does not know: its parts go, or else all of it. */
const extractUnknownBlock = (block: Block, collector: BlobCollector): Block => {
  const before = collector.blobs.length
  const rest = extractParts(block, collector)
  if (jsonSize(rest) <= partSize) return { ...fieldsOf(rest), type: block.type }
  collector.truncate(before)
  return { ...fieldsOf(previewOf(block)), type: block.type, blob: collector.addJson(block) }
}

const isText = (value: object): value is { type: 'text'; text: string } =>
  'type' in value && value.type === 'text' && 'text' in value && typeof value.text === 'string'

const isImage = (block: Block): block is Extract<Block, { type: 'image' }> =>
  block.type === 'image' && typeof block.data === 'string' && typeof block.mimeType === 'string'

const fieldsOf = (value: unknown): object =>
  typeof value === 'object' && value !== null ? value : {}
