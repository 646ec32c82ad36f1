import type { DraftImage } from '../state/drafts.ts'

/** Longer sides are scaled down to this: models see no more. */
const longestSide = 2000
const kept = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const largest = 4 * 1024 * 1024

/** Files as images that can be sent: those that are too large are made smaller. */
export const readImages = (files: readonly File[]): Promise<DraftImage[]> =>
  Promise.all(files.map(readImage))

const readImage = async (file: File): Promise<DraftImage> => {
  if (kept.has(file.type) && file.size <= largest) return encoded(file)
  const picture = await createImageBitmap(file)
  const scale = Math.min(1, longestSide / Math.max(picture.width, picture.height))
  const canvas = new OffscreenCanvas(
    Math.round(picture.width * scale),
    Math.round(picture.height * scale),
  )
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height)
  return encoded(await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 }))
}

const encoded = async (blob: Blob): Promise<DraftImage> => {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ''
  for (let from = 0; from < bytes.length; from += chunk)
    text += String.fromCharCode(...bytes.subarray(from, from + chunk))
  return { data: btoa(text), mimeType: blob.type }
}

/** A call takes only so many arguments. */
const chunk = 8192
