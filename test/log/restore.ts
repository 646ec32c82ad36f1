import { blobIn } from '../../src/events/blob-preview.ts'
import type { AgentEvent, BlobRef } from '../../src/events/types.ts'
import type { ExtractedEvent } from '../../src/log/index.ts'

/** The fields that a `blob` can replace. */
const payloadFields = [
  'outputDelta',
  'output',
  'input',
  'args',
  'arguments',
  'result',
  'line',
  'text',
  'data',
  'base64',
]
const knownBlocks = ['text', 'thinking', 'toolCall', 'image']

/** The event as it was before its blobs were extracted. */
export const restore = ({ event, blobs }: ExtractedEvent): unknown => {
  const bytesOf = ({ hash }: BlobRef): Buffer =>
    Buffer.from(blobs.find(({ ref }) => ref.hash === hash)?.bytes ?? [])
  const wholeOf = (ref: BlobRef): unknown => {
    if (ref.mimeType === 'text/plain') return bytesOf(ref).toString()
    if (ref.mimeType === 'application/json') return JSON.parse(bytesOf(ref).toString())
    return bytesOf(ref).toString('base64')
  }

  const restoreValue = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(restoreValue)
    if (typeof value !== 'object' || value === null) return value
    const blob = blobIn(value)
    if (blob) return fill(value, blob)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, restoreValue(each)]))
  }
  const fill = (value: object, blob: BlobRef): unknown => {
    const { blob: _, ...rest } = { ...value, blob }
    const field = payloadFields.find((name) => name in value)
    const isUnknownBlock = 'type' in value && !knownBlocks.includes(String(value.type)) && !field
    return isUnknownBlock || !field ? wholeOf(blob) : { ...rest, [field]: wholeOf(blob) }
  }

  const restored = restoreValue(event)
  return event.type === 'tool_result' ? { ...event, message: restoreMessage(event) } : restored

  function restoreMessage({ message }: Extract<AgentEvent, { type: 'tool_result' }>) {
    const { contentBlob, detailsBlob, content, details, ...rest } = message
    return {
      ...rest,
      content: contentBlob ? wholeOf(contentBlob) : restoreValue(content),
      ...('details' in message && {
        details: detailsBlob ? wholeOf(detailsBlob) : restoreValue(details),
      }),
    }
  }
}
