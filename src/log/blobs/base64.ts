/** Bytes that stand in a value as base64: an image, mostly. */
export interface Base64Field {
  /** The field that holds them. */
  field: string
  data: string
  mimeType: string
}

/** How agents write bytes: the field of the base64, and the one of its type. */
const shapes = [
  ['data', 'mimeType'],
  ['data', 'media_type'],
  ['base64', 'type'],
] as const

/** The bytes in an object, as far as its fields tell. */
export const base64FieldIn = (value: object): Base64Field | undefined => {
  for (const [field, type] of shapes) {
    const data: unknown = Reflect.get(value, field)
    const mimeType: unknown = Reflect.get(value, type)
    if (typeof data === 'string' && typeof mimeType === 'string') return { field, data, mimeType }
  }
  return undefined
}

/** The bytes themselves; undefined where the text is no base64, and reading it so would lose some. */
export const decodeBase64 = ({ data }: Base64Field): Uint8Array | undefined => {
  const bytes = Buffer.from(data, 'base64')
  const again = bytes.toString('base64')
  return again === data || plain(again) === plain(data) ? bytes : undefined
}

/** Base64 as it may also be written: in lines, without padding, or for addresses. */
const plain = (base64: string): string =>
  base64.replaceAll(/[\s=]/g, '').replaceAll('-', '+').replaceAll('_', '/')
