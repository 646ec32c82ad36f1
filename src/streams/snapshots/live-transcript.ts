import type { StampedEvent } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'
import { unknownSession } from '../../log/log-fault.ts'
import {
  apply,
  applyAll,
  emptyTranscript,
  fromSnapshot,
  type Transcript,
  toSnapshot,
} from '../../transcript/index.ts'
import { lineOf } from '../fan-out/frame.ts'
import type { SharedBuffer } from '../fan-out/shared-buffer.ts'
import {
  packSnapshot,
  parseSnapshot,
  type UnpackedSnapshot,
  unpackSnapshot,
} from './stored-snapshot.ts'

/** What a new reader begins with. */
export interface OpeningSnapshot {
  seq: number
  /** The frame of the snapshot, but without its id and the empty line at its end. */
  line: SharedBuffer
}

/** The transcript of one session: kept up to date once somebody needed it. */
export interface LiveTranscript {
  /** Notes an event that was published. It is applied later, when nobody waits. */
  add(event: StampedEvent): void
  /** Applies what was noted. */
  settle(): void
  /** What is known without reading the log. */
  current(): Transcript | undefined
  /** The transcript up to the head, or a little further. */
  load(): Promise<Transcript>
  /** A snapshot at most some events old: whatever is missing follows as events. */
  opening(): Promise<OpeningSnapshot>
  /** The stored snapshot, if there is one that can be read. */
  stored(): Promise<UnpackedSnapshot | undefined>
  /** Stores a snapshot, if so many events have passed since the last that it is worth it. */
  save(when: 'run over' | 'closing'): Promise<void>
}

export interface LiveTranscriptOptions {
  sessionId: string
  log: Log
  /** The last event that is known to be in the log. */
  head(): number
}

/** So many events are sent rather than folded. */
const longestTail = 256
/** A large snapshot serves all who come within a tail of it. */
const isLarge = ({ line }: OpeningSnapshot): boolean => line.bytes.length > 128 * 1024

export const createLiveTranscript = (options: LiveTranscriptOptions): LiveTranscript => {
  const { sessionId, log, head } = options
  let transcript: Transcript | undefined
  let noted: StampedEvent[] = []
  let loading: Promise<Transcript> | undefined
  let opening: Promise<OpeningSnapshot> | undefined
  let made: OpeningSnapshot | undefined
  /** The seq of what is stored; undefined until somebody has looked. */
  let storedSeq: number | undefined
  let saving: Promise<void> | undefined

  const settle = (): void => {
    if (noted.length === 0) return
    if (transcript) transcript = applyAll(transcript, noted)
    noted = []
    if (made && head() - made.seq > longestTail) made = undefined
  }

  const current = (): Transcript | undefined => {
    settle()
    return transcript
  }

  const stored = async (): Promise<UnpackedSnapshot | undefined> => {
    const found = await log.snapshots.get(sessionId)
    const unpacked = found && unpackSnapshot(found)
    storedSeq = Math.max(storedSeq ?? 0, unpacked?.seq ?? 0)
    return unpacked
  }

  const fold = async (): Promise<Transcript> => {
    const begin = await stored()
    let folded = begin ? fromSnapshot(parseSnapshot(begin)) : emptyTranscript(sessionId)
    while (folded.seq < head()) {
      const before = folded.seq
      for await (const event of log.read(sessionId, before)) folded = apply(folded, event)
      if (folded.seq === before) throw unknownSession(sessionId)
    }
    transcript = folded // in the same turn as the last look at the head: nothing is missed
    noted = []
    return folded
  }

  const load = async (): Promise<Transcript> => {
    const known = current()
    if (known) return known
    loading ??= fold().finally(() => {
      loading = undefined
    })
    return loading
  }

  const textOf = async (of: Transcript): Promise<string> => {
    const record = await log.sessions.get(sessionId)
    if (!record) throw unknownSession(sessionId)
    return JSON.stringify(toSnapshot(of, { projectId: record.projectId ?? '' }))
  }

  const openingOf = (seq: number, text: string): OpeningSnapshot => {
    made = { seq, line: { bytes: Buffer.from(lineOf(text)) } }
    return made
  }

  const makeOpening = async (): Promise<OpeningSnapshot> => {
    const known = current()
    if (made && head() - made.seq <= (isLarge(made) ? longestTail : 0)) return made
    if (!known) {
      const last = await stored()
      if (last && head() - last.seq <= longestTail) return openingOf(last.seq, last.text)
    }
    const whole = await load()
    return openingOf(whole.seq, await textOf(whole))
  }

  const saveOnce = async (least: number): Promise<void> => {
    if (storedSeq === undefined) await stored()
    if (head() - (storedSeq ?? 0) < least) return
    const whole = await load()
    await log.snapshots.put(sessionId, whole.seq, packSnapshot(whole, await textOf(whole)))
    storedSeq = whole.seq
  }

  return {
    add(event) {
      if (event.seq === 1 && !transcript) transcript = emptyTranscript(sessionId)
      if (transcript) noted.push(event)
    },
    settle,
    current,
    load,
    opening() {
      opening ??= makeOpening().finally(() => {
        opening = undefined
      })
      return opening
    },
    stored,
    async save(when) {
      await saving
      saving = saveOnce(when === 'closing' ? 1 : leastEvents(storedSeq)).finally(() => {
        saving = undefined
      })
      return saving
    },
  }
}

/** A long session has a long snapshot: the longer it is, the more must have happened. */
const leastEvents = (storedSeq = 0): number => Math.max(longestTail, storedSeq / 16)
