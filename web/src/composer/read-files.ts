import { base64OfBytes, fileTypeOf } from '../../../src/shared/file-type.ts'
import type { DraftFile, DraftImage } from '../state/drafts.ts'
import { readImages } from './read-images.ts'

/** What some files are, as a message can have them. */
export interface ReadFiles {
  images: readonly DraftImage[]
  files: readonly DraftFile[]
  /** Why some files are left out, for people. */
  problems: readonly string[]
}

const largest = { text: 1_000_000, pdf: 10_000_000 } as const

/** Reads files by their content: images are scaled down if needed, text and PDF files are sent as they are. */
export const readFiles = async (given: readonly File[]): Promise<ReadFiles> => {
  const images = await readImages(given.filter(isImage))
  const others = await Promise.all(given.filter((file) => !isImage(file)).map(readFile))
  return {
    images,
    files: others.filter((each) => typeof each !== 'string'),
    problems: others.filter((each) => typeof each === 'string'),
  }
}

/** Drawings in SVG are text. */
const isImage = ({ type }: File): boolean => type.startsWith('image/') && type !== 'image/svg+xml'

const readFile = async (file: File): Promise<DraftFile | string> => {
  const { name, size } = file
  if (size === 0) return `“${name}” is empty.`
  if (size > largest.pdf) return tooLarge(name)
  const bytes = new Uint8Array(await file.arrayBuffer())
  const type = fileTypeOf(bytes)
  if (type === 'text/plain' && size > largest.text) return tooLarge(name)
  if (type === undefined)
    return `“${name}” cannot be attached: it is neither text nor a PDF file nor an image.`
  return { name, size, data: base64OfBytes(bytes) }
}

const tooLarge = (name: string): string =>
  `“${name}” is too large: text files can have up to 1 MB, PDF files up to 10 MB.`
