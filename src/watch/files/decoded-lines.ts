import type { Decoder, DecoderOptions } from '../../agents/agent.ts'
import type { AgentEvent, EventOf } from '../../events/types.ts'
import { isNativeId } from '../native-key.ts'
import type { FileSource } from '../sources/file-source.ts'
import { type CopyNotes, createCopyNotes } from './copy-notes.ts'
import type { CursorLine } from './cursor.ts'
import type { StoredPositions } from './stored-positions.ts'
import { createTrack, type FoundFile, type Track } from './tracks.ts'

/** A decoded line that is not stored yet. */
export interface HeldLine {
  track: Track
  end: number
  /** How long the line is. */
  bytes: number
  at: number | undefined
  events: readonly AgentEvent[]
  /** Whether the events were stored earlier. */
  isStored: boolean
  /** Whether it is a copy in a session whose totals start at zero. */
  startsAtZero: boolean
}

const isNamedStart = (event: AgentEvent): event is EventOf<'session_start'> =>
  event.type === 'session_start' && isNativeId(event.nativeId ?? '')

/** Decodes the lines of a session’s files, and holds their events until they are stored. */
export interface DecodedLines extends Pick<CopyNotes, 'beginning' | 'original'> {
  trackOf(file: FoundFile): Track
  /** Decodes a line. */
  add(track: Track, line: CursorLine): void
  /** Whether enough is held to be stored, or to open the session. */
  isDue(): boolean
  /** Whether so much is held without a session that the file has none. */
  isHopeless(): boolean
  /** Lines up to these positions are stored already. */
  setStored(positions: StoredPositions): void
  take(): HeldLine[]
  /** Where the session begins, as its lines say. */
  native(): EventOf<'session_start'> | undefined
  startedAt(): number | undefined
  lastAt(): number | undefined
  /** The events that close what the session’s own file leaves open. */
  close(): AgentEvent[]
}

/** So much is stored at once. */
const batchEvents = 400
const batchBytes = 8 * 1024 * 1024
const isBatch = (events: number, bytes: number): boolean =>
  events >= batchEvents || bytes >= batchBytes

/** A file that has no session after so many events, or bytes, is none. */
const maxHeld = 20_000
const maxHeldBytes = 64 * 1024 * 1024

/** The events of a line, with what closes the files of the subagents that end in it. */
const withEnds = (tracks: ReadonlyMap<string, Track>, events: AgentEvent[]): AgentEvent[] => {
  const parts = [...tracks.values()].filter(({ closeBefore }) => closeBefore)
  if (parts.length === 0) return events
  return events.flatMap((event) => [
    ...parts.flatMap(({ closeBefore }) => closeBefore?.(event) ?? []),
    event,
  ])
}

export const createDecodedLines = (
  source: FileSource,
  createDecoder: (options?: DecoderOptions) => Decoder,
): DecodedLines => {
  const tracks = new Map<string, Track>()
  const main = createDecoder()
  const copies = createCopyNotes(source)
  const about: {
    native?: EventOf<'session_start'> | undefined
    startedAt?: number | undefined
    lastAt?: number | undefined
  } = {}
  let stored: StoredPositions | undefined
  let held: HeldLine[] = []
  let heldEvents = 0
  let heldBytes = 0

  const hold = (line: HeldLine): void => {
    if (line.events.length === 0) return
    const isStored = line.end <= (stored?.offsets.get(line.track.name) ?? 0)
    held.push({ ...line, isStored })
    heldEvents += line.events.length
    heldBytes += line.bytes
  }
  const take = (): HeldLine[] => {
    const taken = held
    held = []
    heldEvents = 0
    heldBytes = 0
    return taken
  }

  return {
    trackOf(file) {
      const found = tracks.get(file.name)
      if (found) return found
      const ofPart = (scope: string) => createDecoder({ scope })
      const { partLine } = source
      const track = createTrack(file, { main, ofPart, ...(partLine && { partLine }) })
      tracks.set(file.name, track)
      return track
    },
    add(track, { parsed, at = track.lastAt ?? about.lastAt, end }) {
      const { value, error } = parsed ?? {}
      const isOwn = track.name === ''
      const startsAtZero = isOwn && value ? copies.add(value) : false
      const events = error ? [error] : value ? withEnds(tracks, track.push(value)) : []
      const bytes = end - track.offset
      Object.assign(track, { offset: end, lastAt: at })
      about.lastAt = at
      about.startedAt ??= at
      about.native ??= events.find(isNamedStart)
      hold({ track, end, bytes, at, events, isStored: false, startsAtZero })
      // What was closed at this point is closed again, so that the decoder is where it was.
      if (isOwn && stored?.closings.has(end)) main.end()
    },
    isDue: () => isBatch(heldEvents, heldBytes) || (about.native !== undefined && !stored),
    isHopeless: () => (heldEvents > maxHeld || heldBytes > maxHeldBytes) && !stored,
    setStored(positions) {
      stored = positions
      for (const line of take()) hold(line)
    },
    take,
    native: () => about.native,
    startedAt: () => about.startedAt,
    lastAt: () => about.lastAt,
    beginning: copies.beginning,
    original: copies.original,
    close: () => main.end(),
  }
}
