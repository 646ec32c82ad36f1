/** A field of an object that holds bytes as base64, mostly an image. */
export interface Base64Field {
  /** The name of the field. */
  field: string
  data: string
  mimeType: string
}

/** The names that agents use: of the field with the base64, and of the field with its type. */
const fieldNames = [
  ['data', 'mimeType'],
  ['data', 'media_type'],
  ['base64', 'type'],
] as const

/** The base64 in an object, judged by its field names alone. */
export const base64FieldIn = (value: object): Base64Field | undefined => {
  for (const [field, type] of fieldNames) {
    const data: unknown = Reflect.get(value, field)
    const mimeType: unknown = Reflect.get(value, type)
    if (typeof data === 'string' && typeof mimeType === 'string') return { field, data, mimeType }
  }
  return undefined
}

/** Decodes the bytes; undefined when the text is not base64 and decoding it would lose something. */
export const decodeBase64 = ({ data }: Base64Field): Uint8Array | undefined => {
  const bytes = Buffer.from(data, 'base64')
  const encoded = bytes.toString('base64')
  return encoded === data || normalize(encoded) === normalize(data) ? bytes : undefined
}

/** Removes the differences between the forms of base64: line breaks, padding, URL-safe characters. */
const normalize = (base64: string): string =>
  base64.replaceAll(/[\s=]/g, '').replaceAll('-', '+').replaceAll('_', '/')
