import { isBlobRef } from '../events/blob-preview.ts'
import type { BlobRef } from '../events/types.ts'
import { base64OfBytes, bytesOfBase64, utf8TextOf } from '../shared/file-type.ts'

/** What replaces a blob: another one, and the preview of it that stands in the event. */
export interface RedactedBlob {
  ref: BlobRef
  preview: unknown
}

/** How the parts of a value are redacted. */
export interface ValueRedactor {
  text(text: string): string
  /** What replaces a blob, by the hash of the old one; undefined if the blob is missing. */
  blob(hash: string): RedactedBlob | undefined
  /** True: images stay. No rule can see what they show. */
  keepImages: boolean
  /** True in arguments and results of tools, whose fields can have any meaning. */
  isFree?: boolean
}

/** An image of one grey pixel, in place of one that nobody has checked. */
export const placeholderImage = {
  mimeType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
} as const

/** Deeper values are dropped: JSON of people and agents is not nested like this. */
const maxDepth = 200

/** A value without secrets, in the same shape: all texts in it, and the names of its fields. */
export const redactValue = (value: unknown, redactor: ValueRedactor, depth = 0): unknown => {
  if (typeof value === 'string') return redactor.text(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxDepth) return '[redacted]'
  if (Array.isArray(value)) return value.map((each) => redactValue(each, redactor, depth + 1))
  const fields: Record<string, unknown> = { ...value }
  if (fields.type === 'attachedFile') return redactFile(fields, redactor)
  const held = blobOf(fields, redactor)
  if (held) return withBlob(fields, held, redactor)
  if (!redactor.keepImages && isImage(fields)) return withoutImage(fields)
  const output = isBlobRef(fields.outputBlob) ? redactor.blob(fields.outputBlob.hash) : undefined
  return {
    ...Object.fromEntries(
      Object.entries(fields).map(([name, each]) => [
        redactor.text(name),
        isSecret(name, each) ? '[redacted-secret]' : redactField(name, each, redactor, depth),
      ]),
    ),
    ...(typeof output?.preview === 'string' && { output: output.preview }),
  }
}

/** Fields that say what a value is. Readers match them, so they stay as they are. */
const structural = new Set([
  'type',
  'role',
  'id',
  'toolCallId',
  'toolName',
  'mimeType',
  'media_type',
])

const redactField = (
  name: string,
  value: unknown,
  redactor: ValueRedactor,
  depth: number,
): unknown => {
  if (typeof value === 'string' && structural.has(name))
    return redactor.isFree && !kindOfBlock.test(value) ? redactor.text(value) : value
  const blob = isBlobRef(value) ? redactor.blob(value.hash) : undefined
  if (blob) return blob.ref
  const inside = freeFields.has(name) ? { ...redactor, isFree: true } : redactor
  return redactValue(value, inside, depth + 1)
}

/** Fields with values that only a tool defines. An `id` in them can be a key. */
const freeFields = new Set(['input', 'args', 'arguments', 'result', 'updatedInput', 'details'])
const kindOfBlock = /^[a-z_/]{1,30}$/

const secretName =
  /(?:secret|password|passwd|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key|token|credentials?|authorization|cookie)$/i

/** Whether a field holds a secret, judged by its name. `$TOKEN` and the like stand for one. */
const isSecret = (name: string, value: unknown): boolean =>
  typeof value === 'string' &&
  secretName.test(name) &&
  value.length >= 4 &&
  !/^(?:\$|<|\[redacted)/.test(value)

/** The fields that hold the preview of the `blob` beside them. */
const previewFields = [
  'text',
  'input',
  'args',
  'arguments',
  'outputDelta',
  'result',
  'output',
  'line',
]

const blobOf = (fields: Record<string, unknown>, redactor: ValueRedactor) =>
  isBlobRef(fields.blob) ? redactor.blob(fields.blob.hash) : undefined

/** A preview can end in the middle of a key, so it is taken from the redacted blob. */
const withBlob = (
  { blob: _, ...fields }: Record<string, unknown>,
  { ref, preview }: RedactedBlob,
  redactor: ValueRedactor,
): object => {
  const field = previewFields.find((name) => Object.hasOwn(fields, name))
  if (field !== undefined) {
    const { [field]: __, ...others } = fields
    return { ...Object(redactValue(others, redactor)), [field]: preview, blob: ref }
  }
  if (ref.mimeType?.startsWith('image/'))
    return {
      ...Object(redactValue(fields, redactor)),
      ...(Object.hasOwn(fields, 'mimeType') && { mimeType: ref.mimeType }),
      blob: ref,
    }
  const type = fields.type === undefined ? {} : { type: fields.type }
  return { ...Object(preview), ...type, blob: ref }
}

/** A file of a person. Text in it is redacted; what no rule can read is replaced. */
const redactFile = (fields: Record<string, unknown>, redactor: ValueRedactor): object => {
  const { name, mimeType, data } = fields
  const file = { type: 'attachedFile', name: redactValue(name, redactor) }
  const held = blobOf(fields, redactor)
  if (held) return { ...file, mimeType: held.ref.mimeType ?? mimeType, data: '', blob: held.ref }
  const bytes = typeof data === 'string' ? bytesOfBase64(data) : undefined
  const text = bytes && mimeType === 'text/plain' ? utf8TextOf(bytes) : undefined
  if (text !== undefined)
    return { ...file, mimeType, data: base64OfBytes(new TextEncoder().encode(redactor.text(text))) }
  return redactor.keepImages && bytes
    ? { ...file, mimeType, data }
    : { ...file, ...placeholderImage }
}

const isImage = (fields: Record<string, unknown>): boolean => imageField(fields) !== undefined

/** The field with the base64 of an image or a document, by the names that agents use. */
const imageField = (fields: Record<string, unknown>): 'data' | 'base64' | undefined => {
  const hasType = typeof fields.mimeType === 'string' || typeof fields.media_type === 'string'
  if (typeof fields.data === 'string' && fields.data !== '' && hasType) return 'data'
  if (typeof fields.base64 === 'string' && fields.base64 !== '') return 'base64'
  return undefined
}

const withoutImage = (fields: Record<string, unknown>): object => {
  const field = imageField(fields) ?? 'data'
  return {
    type: fields.type,
    ...(fields.mimeType !== undefined && { mimeType: placeholderImage.mimeType }),
    ...(fields.media_type !== undefined && { media_type: placeholderImage.mimeType }),
    [field]: placeholderImage.data,
  }
}
