import { crc32 } from 'node:zlib'
import type { RawFrame } from './connection.ts'
import { requireThat } from './fault.ts'

/** What readers have seen of all sessions, to be compared with the log later. */
export interface Witness {
  /** Adds an event. Throws when another reader saw other bytes under the same seq. */
  addEvent(sessionId: string, seq: number, text: string): void
  /** Adds a snapshot, unless enough of this session are there. */
  addSnapshot(sessionId: string, seq: number, text: string): void
  /** The fingerprints of the events of a session, by seq. */
  eventsOf(sessionId: string): ReadonlyMap<number, number>
  /** The snapshots of a session, by seq. */
  snapshotsOf(sessionId: string): ReadonlyMap<number, string>
}

const snapshotsPerSession = 40

/** A number that stands for a text. Texts themselves would fill the memory in a long run. */
export const fingerprint = (text: string): number => crc32(text) + (text.length % 2 ** 20) * 2 ** 32

export const createWitness = (): Witness => {
  const events = new Map<string, Map<number, number>>()
  const snapshots = new Map<string, Map<number, string>>()
  const of = <Value>(all: Map<string, Map<number, Value>>, id: string): Map<number, Value> => {
    const found = all.get(id) ?? new Map<number, Value>()
    all.set(id, found)
    return found
  }
  return {
    addEvent(sessionId, seq, text) {
      const known = of(events, sessionId)
      const print = fingerprint(text)
      requireThat(
        (known.get(seq) ?? print) === print,
        () => `two readers saw different bytes of event ${seq}: ${text.slice(0, 200)}`,
      )
      known.set(seq, print)
    },
    addSnapshot(sessionId, seq, text) {
      const known = of(snapshots, sessionId)
      if (known.size < snapshotsPerSession) known.set(seq, text)
    },
    eventsOf: (sessionId) => of(events, sessionId),
    snapshotsOf: (sessionId) => of(snapshots, sessionId),
  }
}

/** Checks the frames of one reader over all its connections. */
export interface FrameChecker {
  /** Reads a frame. Throws when an event is missing, repeated or out of order. */
  read(frame: RawFrame): void
  /** A new connection begins, with the cursor or without one. */
  begin(hasCursor: boolean): void
  /** The last id, which resumes the stream. */
  cursor(): string | undefined
  /** The seq of the last event of a session. */
  seqOf(sessionId: string): number
  /** How many events were read. */
  count(): number
}

interface Parsed {
  type: string
  sessionId?: string
  seq?: number
  timestamp?: number
  verdict?: string
}

/** `many`: the stream has several sessions, whose cursors are in one id. */
export const createFrameChecker = (witness: Witness, kind: 'one' | 'many'): FrameChecker => {
  const seqs = new Map<string, number>()
  let lastId: string | undefined
  let hasCursor = false
  let events = 0

  const readEvent = (sessionId: string, seq: number, text: string): void => {
    const expected = (seqs.get(sessionId) ?? 0) + 1
    witness.addEvent(sessionId, seq, text)
    requireThat(seq === expected, `event ${seq} came where ${expected} was expected`)
    seqs.set(sessionId, seq)
    events += 1
  }

  const readSnapshot = (sessionId: string, seq: number, text: string): void => {
    const isExpected = !hasCursor || (kind === 'many' && !lastId?.includes(`${sessionId}:`))
    requireThat(isExpected, 'a snapshot came although the reader has a cursor')
    seqs.set(sessionId, seq)
    witness.addSnapshot(sessionId, seq, text)
  }

  return {
    read({ id, text }) {
      const event: Parsed = JSON.parse(text)
      const { type, sessionId = '', seq, timestamp } = event
      if (type === 'snapshot' && seq !== undefined) readSnapshot(sessionId, seq, text)
      else if (type === 'resume')
        requireThat(event.verdict === 'ok', `the cursor ${lastId} got ${text}`)
      else if (seq !== undefined && timestamp !== undefined) {
        requireThat(seqs.has(sessionId), `event ${seq} came before the snapshot`)
        readEvent(sessionId, seq, text)
      }
      if (id !== undefined) lastId = id
    },
    begin(withCursor) {
      hasCursor = withCursor
      if (withCursor) return
      seqs.clear()
      lastId = undefined
    },
    cursor: () => lastId,
    seqOf: (sessionId) => seqs.get(sessionId) ?? 0,
    count: () => events,
  }
}
