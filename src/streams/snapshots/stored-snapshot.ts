import { summaryOf } from '../../api/summary.ts'
import type { LiveSummary } from '../../api/types.ts'
import type { Snapshot } from '../../events/types.ts'
import type { StoredSnapshot } from '../../log/log.ts'
import type { Transcript } from '../../transcript/index.ts'

/** A snapshot as it lies in the log: a line about it, then the event as it is sent. */
export interface UnpackedSnapshot {
  seq: number
  summary: LiveSummary
  /** The JSON of the snapshot. */
  text: string
}

interface Heading {
  version: number
  summary: LiveSummary
}

/** What was stored under another version is not read: the events tell it all again. */
const version = 2

export const packSnapshot = (transcript: Transcript, text: string): string => {
  const heading: Heading = { version, summary: summaryOf(transcript) }
  return `${JSON.stringify(heading)}\n${text}`
}

export const unpackSnapshot = ({ seq, text }: StoredSnapshot): UnpackedSnapshot | undefined => {
  const end = text.indexOf('\n')
  if (end < 0) return undefined
  const heading: Heading = JSON.parse(text.slice(0, end))
  if (heading.version !== version) return undefined
  return { seq, summary: heading.summary, text: text.slice(end + 1) }
}

export const parseSnapshot = ({ text }: UnpackedSnapshot): Snapshot => JSON.parse(text)
