import type { StampedEvent } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'
import { unknownSession } from '../../log/log-fault.ts'
import { createBoundedFold } from '../../transcript/bounded-fold.ts'
import {
  applyEvents,
  emptyTranscript,
  fromSnapshot,
  type Transcript,
  toSnapshot,
  trimTranscript,
} from '../../transcript/index.ts'
import { type SharedBuffer, sharedLineOf } from '../fan-out/frame.ts'
import { cursorAt } from '../log-cursor.ts'
import {
  packSnapshot,
  parseSnapshot,
  type UnpackedSnapshot,
  unpackSnapshot,
} from './stored-snapshot.ts'

/**
 * The transcript of one session: loaded when it is first needed, then kept up to date. The feed
 * adds events, new streams read the opening snapshot, lists and exports read the transcript.
 */
export interface LiveTranscript {
  /** Queues an event that was published. */
  add(event: StampedEvent): void
  /** Applies queued events. Called when no reader waits. */
  applyPending(): void
  /** The transcript, if it is in memory. */
  current(): Transcript | undefined
  /** The transcript up to the head of the session, or a little further. */
  load(): Promise<Transcript>
  /** Like `load`, without the oldest entries of a transcript that is too long. */
  loadTrimmed(): Promise<Transcript>
  /** A snapshot for a new stream. It may be some events old: the stream sends those as events. */
  opening(): Promise<OpeningSnapshot>
  /** Stores a snapshot if enough events came since the last one; `closing`: if any event did. */
  save(when: 'run over' | 'closing'): Promise<void>
}

/** What a new stream begins with. */
export interface OpeningSnapshot {
  seq: number
  /** The cursor at its last event. */
  id: string
  /** The data line of its frame. */
  line: SharedBuffer
}

export interface LiveTranscriptOptions {
  sessionId: string
  log: Log
  /** The seq of the latest event that is known to be in the log. */
  head(): number
  /** About the most characters of a transcript. Of a longer one, the latest entries stay. */
  maxChars?: number | undefined
}

/** A browser cannot show more, and no program can have a string of over 512 MiB. */
const defaultMaxChars = 32 * 1024 * 1024

/** A snapshot that is at most this many events old is sent as it is, and the events after it. */
const longestTail = 256
/** Snapshots over this size are not made for every stream: one serves a whole tail. */
const largeBytes = 128 * 1024

export const createLiveTranscript = (options: LiveTranscriptOptions): LiveTranscript => {
  const { head } = options
  const stored = createStoredSnapshots(options)
  const fold = createFold(options, stored)
  /** The snapshot that was made last, for streams that open soon after. */
  let latest: OpeningSnapshot | undefined
  let opening: Promise<OpeningSnapshot> | undefined
  let saving: Promise<void> | undefined

  const openingOf = ({ seq, cursor, text }: SnapshotText): OpeningSnapshot => {
    latest = { seq, id: cursor, line: sharedLineOf(text) }
    return latest
  }

  const makeOpening = async (): Promise<OpeningSnapshot> => {
    const transcript = fold.current()
    const longestAge = latest && latest.line.bytes.length > largeBytes ? longestTail : 0
    if (latest && head() - latest.seq <= longestAge) return latest
    if (!transcript) {
      const last = await stored.read()
      if (last && head() - last.seq <= longestTail) return openingOf(last)
    }
    return openingOf(await snapshotText(await fold.loadTrimmed(), options))
  }

  const saveOnce = async (when: 'run over' | 'closing'): Promise<void> => {
    const storedSeq = await stored.seq()
    if (head() - storedSeq < (when === 'closing' ? 1 : fewestEventsAfter(storedSeq))) return
    const loaded = await fold.loadTrimmed()
    await stored.write(loaded, await snapshotText(loaded, options))
  }

  return {
    add: fold.add,
    applyPending() {
      fold.applyPending()
      if (latest && head() - latest.seq > longestTail) latest = undefined
    },
    current: fold.current,
    load: fold.load,
    loadTrimmed: fold.loadTrimmed,
    opening() {
      opening ??= makeOpening().finally(() => {
        opening = undefined
      })
      return opening
    },
    async save(when) {
      await saving
      saving = saveOnce(when).finally(() => {
        saving = undefined
      })
      return saving
    },
  }
}

/** A long session has a large snapshot: the longer it is, the more events a new one must add. */
const fewestEventsAfter = (storedSeq: number): number => Math.max(longestTail, storedSeq / 16)

/** A snapshot as JSON. */
interface SnapshotText {
  seq: number
  /** The cursor at its last event. */
  cursor: string
  text: string
}

const snapshotText = async (
  transcript: Transcript,
  { sessionId, log }: LiveTranscriptOptions,
): Promise<SnapshotText> => {
  const { seq } = transcript
  const record = await log.sessions.get(sessionId)
  const cursor = await cursorAt(log, sessionId, seq)
  if (!record || cursor === undefined) throw unknownSession(sessionId)
  const { projectId = '' } = record
  return { seq, cursor, text: JSON.stringify(toSnapshot(transcript, { projectId, cursor })) }
}

/** Measuring looks at every entry, so a transcript in memory is measured after so many events. */
const eventsPerMeasure = 4096

/** The transcript in memory, made from the stored snapshot and the events after it. */
const createFold = (options: LiveTranscriptOptions, stored: StoredSnapshots) => {
  const { sessionId, log, head, maxChars = defaultMaxChars } = options
  const trim = (long: Transcript) => trimTranscript(long, maxChars).transcript
  let transcript: Transcript | undefined
  /** How many events were applied since the transcript was last measured. */
  let unmeasured = 0
  let pending: StampedEvent[] = []
  let loading: Promise<Transcript> | undefined

  const applyPending = (): void => {
    if (pending.length === 0) return
    if (transcript) transcript = applyEvents(transcript, pending)
    unmeasured += pending.length
    pending = []
    if (!transcript || unmeasured < eventsPerMeasure) return
    unmeasured = 0
    transcript = trim(transcript)
  }

  const current = (): Transcript | undefined => {
    applyPending()
    return transcript
  }

  const readLog = async (): Promise<Transcript> => {
    const snapshot = await stored.read()
    const start = snapshot ? fromSnapshot(parseSnapshot(snapshot)) : emptyTranscript(sessionId)
    const fold = createBoundedFold(start, maxChars)
    while (fold.get().seq < head()) {
      const before = fold.get().seq
      for await (const { texts } of log.readText(sessionId, before))
        for (const text of texts) fold.push(text)
      if (fold.get().seq > before) continue
      if (!(await log.sessions.get(sessionId))) throw unknownSession(sessionId)
      break // an event is damaged: the session ends before it
    }
    // In the same turn as the last look at the head: no event comes between the two.
    transcript = fold.get()
    pending = []
    return transcript
  }

  const load = async (): Promise<Transcript> => {
    const loaded = current()
    if (loaded) return loaded
    loading ??= readLog().finally(() => {
      loading = undefined
    })
    return loading
  }

  return {
    add(event: StampedEvent): void {
      if (event.seq === 1 && !transcript) transcript = emptyTranscript(sessionId)
      if (transcript) pending.push(event)
    },
    applyPending,
    current,
    load,
    async loadTrimmed(): Promise<Transcript> {
      const trimmed = trim(await load())
      if (transcript?.seq === trimmed.seq) transcript = trimmed
      return trimmed
    },
  }
}

interface StoredSnapshots {
  /** The stored snapshot, if there is one of this version and of the events that the log has. */
  read(): Promise<UnpackedSnapshot | undefined>
  /** Stores the snapshot of a transcript, given as JSON. */
  write(transcript: Transcript, snapshot: SnapshotText): Promise<void>
  /** The seq of the stored snapshot; 0 if there is none. Reads the log once. */
  seq(): Promise<number>
}

/** The snapshot of one session in the log. */
const createStoredSnapshots = ({ sessionId, log }: LiveTranscriptOptions): StoredSnapshots => {
  let seq: number | undefined

  const read = async (): Promise<UnpackedSnapshot | undefined> => {
    const found = await log.snapshots.get(sessionId)
    const unpacked = found && unpackSnapshot(found)
    const isOfLog = unpacked?.cursor === (await cursorAt(log, sessionId, unpacked?.seq ?? 0))
    const usable = isOfLog ? unpacked : undefined
    seq = Math.max(seq ?? 0, usable?.seq ?? 0)
    return usable
  }

  return {
    read,
    async write(transcript, { cursor, text }) {
      const { seq: last } = transcript
      await log.snapshots.put(sessionId, last, packSnapshot(transcript, cursor, text))
      seq = last
    },
    async seq() {
      if (seq === undefined) await read()
      return seq ?? 0
    },
  }
}
