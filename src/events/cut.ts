import type { BlobRef } from './types.ts'

/** The blob that stands beside what is only a beginning, in a value of which nothing is known. */
export const blobIn = (value: unknown): BlobRef | undefined => {
  if (typeof value !== 'object' || value === null || !('blob' in value)) return undefined
  return isRef(value.blob) ? value.blob : undefined
}

/** A text for people that says at its end how much of it is not there; the same if it is whole. */
export const withMore = (text: string, whole: BlobRef | undefined): string => {
  if (!whole) return text
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${moreOf(text, whole)}\n`
}

/** Whether a line is the one with which `withMore` ends. */
export const isMore = (line: string): boolean => /^… [\d.]+ (?:bytes|kB|MB) more$/.test(line)

const moreOf = (text: string, { size }: BlobRef): string =>
  `… ${amount(Math.max(0, size - new TextEncoder().encode(text).length))} more`

const amount = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} bytes`
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

const isRef = (value: unknown): value is BlobRef =>
  typeof value === 'object' &&
  value !== null &&
  'hash' in value &&
  typeof value.hash === 'string' &&
  'size' in value &&
  typeof value.size === 'number'
