import { blobIn } from '../../src/events/blob-preview.ts'
import type { AgentEvent, BlobRef } from '../../src/events/types.ts'
import type { Extracted } from '../../src/log/index.ts'

/** Fields that a `blob` can stand beside. */
const payloads = [
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
const known = ['text', 'thinking', 'toolCall', 'image']

/** The event as it was before it was spilled. */
export const restore = ({ event, blobs }: Extracted): unknown => {
  const bytesOf = ({ hash }: BlobRef): Buffer =>
    Buffer.from(blobs.find(({ ref }) => ref.hash === hash)?.bytes ?? [])
  const wholeOf = (ref: BlobRef): unknown => {
    if (ref.mimeType === 'text/plain') return bytesOf(ref).toString()
    if (ref.mimeType === 'application/json') return JSON.parse(bytesOf(ref).toString())
    return bytesOf(ref).toString('base64')
  }

  const heal = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(heal)
    if (typeof value !== 'object' || value === null) return value
    const blob = blobIn(value)
    if (blob) return filled(value, blob)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, heal(each)]))
  }
  const filled = (value: object, blob: BlobRef): unknown => {
    const { blob: _, ...rest } = { ...value, blob }
    const field = payloads.find((name) => name in value)
    const isForeign = 'type' in value && !known.includes(String(value.type)) && !field
    return isForeign || !field ? wholeOf(blob) : { ...rest, [field]: wholeOf(blob) }
  }

  const healed = heal(event)
  return event.type === 'tool_result' ? { ...event, message: resultOf(event) } : healed

  function resultOf({ message }: Extract<AgentEvent, { type: 'tool_result' }>) {
    const { contentBlob, detailsBlob, content, details, ...rest } = message
    return {
      ...rest,
      content: contentBlob ? wholeOf(contentBlob) : heal(content),
      ...('details' in message && { details: detailsBlob ? wholeOf(detailsBlob) : heal(details) }),
    }
  }
}
