/** The types of files that a prompt can contain, by their content. */
export type FileType = 'application/pdf' | 'text/plain' | ImageType
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

/** The type of a file by its bytes, whatever its name says; undefined if it is none of these. */
export const fileTypeOf = (bytes: Uint8Array): FileType | undefined => {
  // Latin-1: one character per byte.
  const head = String.fromCharCode(...bytes.subarray(0, 16))
  if (head.startsWith('%PDF-')) return 'application/pdf'
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif'
  if (head.startsWith('RIFF') && head.startsWith('WEBP', 8)) return 'image/webp'
  return utf8TextOf(bytes) === undefined ? undefined : 'text/plain'
}

/** The text in some bytes; undefined if they are not text in UTF-8. */
export const utf8TextOf = (bytes: Uint8Array): string | undefined => {
  if (bytes.some((byte) => byte < 0x20 && !textControls.has(byte))) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Tab, line feed, form feed, carriage return; and backspace and escape, which logs may have. */
const textControls = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x08, 0x1b])

/** The bytes of a text in Base64; undefined if it is none. */
export const bytesOfBase64 = (data: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    const binary = atob(data)
    const bytes = new Uint8Array(binary.length)
    for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index)
    return bytes
  } catch {
    return undefined
  }
}

/** Some bytes in Base64. */
export const base64OfBytes = (bytes: Uint8Array): string => {
  let binary = ''
  for (let from = 0; from < bytes.length; from += chunkSize)
    binary += String.fromCharCode(...bytes.subarray(from, from + chunkSize))
  return btoa(binary)
}

/** The number of arguments that one function call accepts is limited. */
const chunkSize = 8192
