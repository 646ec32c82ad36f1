import { summaryOf } from '../../api/summary.ts'
import type { LiveSummary } from '../../api/types.ts'
import type { Snapshot } from '../../events/types.ts'
import type { StoredSnapshot } from '../../log/log.ts'
import type { Transcript } from '../../transcript/index.ts'

/**
 * How the log stores a snapshot: a line with its version and the summary of the session, then the
 * event as it is sent. A reader that needs only one of them parses only that one. Used by the live
 * transcript, the overview and the search.
 */
export interface UnpackedSnapshot {
  seq: number
  /** The cursor at the last event that it includes. */
  cursor: string
  /** Whether the oldest entries are left out: only the events have them. */
  isTrimmed: boolean
  summary: LiveSummary
  /** The JSON of the snapshot. */
  text: string
}

interface Heading {
  version: number
  cursor: string
  isTrimmed: boolean
  summary: LiveSummary
}

/** A snapshot of another version is ignored, and made again from the events. */
const version = 4

/** The text to store for a transcript whose snapshot has the given JSON. */
export const packSnapshot = (transcript: Transcript, cursor: string, text: string): string => {
  const isTrimmed = transcript.omitted > 0
  const heading: Heading = { version, cursor, isTrimmed, summary: summaryOf(transcript) }
  return `${JSON.stringify(heading)}\n${text}`
}

/** Undefined if the snapshot has another version. */
export const unpackSnapshot = ({ seq, text }: StoredSnapshot): UnpackedSnapshot | undefined => {
  const end = text.indexOf('\n')
  if (end < 0) return undefined
  const heading: Heading = JSON.parse(text.slice(0, end))
  if (heading.version !== version) return undefined
  const { cursor, isTrimmed, summary } = heading
  return { seq, cursor, isTrimmed, summary, text: text.slice(end + 1) }
}

export const parseSnapshot = ({ text }: UnpackedSnapshot): Snapshot => JSON.parse(text)
