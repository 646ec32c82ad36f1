import type { StampedEvent } from '../events/types.ts'
import { applyEvent } from './apply.ts'
import type { Entry } from './entry.ts'
import type { Transcript } from './transcript.ts'
import { trimTranscript } from './trim.ts'

/** A transcript of stored events that stays below a limit, however many there are. */
export interface BoundedFold {
  /** Applies the JSON of an event. Returns the entries that had to be left out, oldest first. */
  push(text: string): readonly Entry[]
  get(): Transcript
}

export const createBoundedFold = (from: Transcript, maxChars: number): BoundedFold => {
  let transcript = from
  /** Since the transcript was last measured. */
  let chars = 0
  return {
    push(text) {
      const event: StampedEvent = JSON.parse(text)
      transcript = applyEvent(transcript, event)
      chars += text.length
      if (chars < maxChars) return []
      chars = 0
      const trimmed = trimTranscript(transcript, maxChars)
      transcript = trimmed.transcript
      return trimmed.older
    },
    get: () => transcript,
  }
}
