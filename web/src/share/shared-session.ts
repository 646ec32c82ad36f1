import type { StampedEvent } from '../../../src/events/index.ts'

/** The session inside a page that `sluice share` has written. */
export interface SharedSession {
  readonly id: string
  readonly name: string
  readonly agent: string
  readonly model?: string
  /** When the page was written, in ms since 1970. */
  readonly exportedAt: number
  readonly isRedacted: boolean
  readonly events: readonly StampedEvent[]
  /** Blobs as base64, by their hash. */
  readonly blobs: Readonly<Record<string, { mimeType?: string; data: string }>>
}

/** Reads the session from the page: JSON, compressed, as base64. */
export const readSharedSession = async (page: Document): Promise<SharedSession> => {
  const text = page.getElementById('session')?.textContent?.trim() ?? ''
  const packed = new Blob([bytesOf(text)]).stream()
  const unpacked = new Response(packed.pipeThrough(new DecompressionStream('gzip')))
  const session: SharedSession = await unpacked.json()
  return session
}

/** The bytes of a base64 text. */
export const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
