import { base64OfBytes } from '../../../src/shared/file-type.ts'
import type { DraftImage } from '../state/drafts.ts'

/** Longer sides are scaled down to this: models see no more. */
const longestSide = 2000
/** Types that are sent as they are; others are converted to JPEG. */
const supportedTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const largestSize = 4 * 1024 * 1024

/** Reads files as images that can be sent; images that are too large are scaled down. */
export const readImages = (files: readonly File[]): Promise<DraftImage[]> =>
  Promise.all(files.map(readImage))

const readImage = async (file: File): Promise<DraftImage> => {
  if (supportedTypes.has(file.type) && file.size <= largestSize) return encode(file)
  const bitmap = await createImageBitmap(file)
  const scale = Math.min(1, longestSide / Math.max(bitmap.width, bitmap.height))
  const canvas = new OffscreenCanvas(
    Math.round(bitmap.width * scale),
    Math.round(bitmap.height * scale),
  )
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  return encode(await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 }))
}

const encode = async (blob: Blob): Promise<DraftImage> => ({
  data: base64OfBytes(new Uint8Array(await blob.arrayBuffer())),
  mimeType: blob.type,
})
