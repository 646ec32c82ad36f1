import type { BlobRef } from './types.ts'

/** The reference of the blob that a value is a preview of; undefined if the value is complete. */
export const blobIn = (value: unknown): BlobRef | undefined => {
  if (typeof value !== 'object' || value === null || !('blob' in value)) return undefined
  return isBlobRef(value.blob) ? value.blob : undefined
}

/** A preview with a last line that states the size of the rest; the text itself without a blob. */
export const withMoreLine = (text: string, blob: BlobRef | undefined): string => {
  if (!blob) return text
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${moreLine(text, blob)}\n`
}

/** True for the line that `withMoreLine` adds. */
export const isMoreLine = (line: string): boolean => /^… [\d.]+ (?:bytes|kB|MB) more$/.test(line)

const moreLine = (text: string, { size }: BlobRef): string =>
  `… ${formatBytes(Math.max(0, size - new TextEncoder().encode(text).length))} more`

const formatBytes = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} bytes`
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** Whether a value is the reference to a blob. */
export const isBlobRef = (value: unknown): value is BlobRef =>
  typeof value === 'object' &&
  value !== null &&
  'hash' in value &&
  typeof value.hash === 'string' &&
  /^[0-9a-f]{64}$/.test(value.hash) &&
  'size' in value &&
  typeof value.size === 'number'
