import { crc32 } from 'node:zlib'
import { createOrderChecker } from '../../src/events/order.ts'
import type { Snapshot, StampedEvent } from '../../src/events/types.ts'
import { type Log, openSqliteLog } from '../../src/log/index.ts'
import { applyEvent, emptyTranscript, toSnapshot } from '../../src/transcript/index.ts'
import { requireThat, type Trial } from './fault.ts'
import { fingerprint, type Witness } from './witness.ts'

/** A session to compare. */
export interface ComparedSession {
  id: string
  /** Its agent used ids twice, or lines in an impossible order: then events can be, too. */
  isDisordered?: boolean
}

/**
 * Compares the log of a server that has stopped with what its readers saw. Every event that was seen
 * is stored with the same bytes, the seqs have no gap, the order holds, no run is open, and each
 * snapshot equals the fold of the events before it.
 */
export const compareWithLog = async (
  directory: string,
  sessions: readonly ComparedSession[],
  witness: Witness,
  trial: Trial,
): Promise<void> => {
  const log = await openSqliteLog(directory)
  try {
    for (const session of sessions) await compareSession(log, session, witness, trial)
  } finally {
    await log.close()
  }
}

/** Compares one session of a log. */
export const compareSession = async (
  log: Pick<Log, 'readText' | 'sessions'>,
  { id, isDisordered = false }: ComparedSession,
  witness: Witness,
  { count }: Trial,
): Promise<void> => {
  const record = await log.sessions.get(id)
  const seen = witness.eventsOf(id)
  const snapshots = witness.snapshotsOf(id)
  const order = createOrderChecker()
  let transcript = emptyTranscript(id)
  let open = 0
  let seq = 0
  for await (const { first, texts } of log.readText(id, 0))
    for (const [index, text] of texts.entries()) {
      seq += 1
      const event: StampedEvent = JSON.parse(text)
      requireThat(first + index === seq && event.seq === seq, `event ${seq} of ${id} is missing`)
      const violations = order.push(event)
      requireThat(
        isDisordered || violations.length === 0,
        () => `${id}: ${JSON.stringify(violations)}`,
      )
      if (event.type === 'agent_start') open += 1
      if (event.type === 'agent_end') open -= 1
      transcript = applyEvent(transcript, event)
      const print = seen.get(seq)
      if (print !== undefined) {
        requireThat(print === fingerprint(text), `event ${seq} of ${id} is not what a reader saw`)
        count('events')
      }
      const snapshot = snapshots.get(seq)
      if (snapshot === undefined) continue
      checkSnapshot(snapshot, text, (cursor) =>
        toSnapshot(transcript, { projectId: record?.projectId ?? '', cursor }),
      )
      count('snapshots')
    }
  let last = 0
  for (const key of seen.keys()) last = Math.max(last, key)
  requireThat(last <= seq, `a reader saw event ${last} of ${id}, but the log ends at ${seq}`)
  requireThat(open === 0, `${id} has a run that did not end`)
  requireThat(record?.state !== 'running', `${id} is running, but its server has stopped`)
}

/** Compares a snapshot with the fold of the events before it, and its cursor with the last of them. */
const checkSnapshot = (
  snapshot: string,
  lastEvent: string,
  foldOf: (cursor: string) => Snapshot,
): void => {
  const { cursor = '' }: Snapshot = JSON.parse(snapshot)
  requireThat(
    Number.parseInt(cursor.split('-')[1] ?? '', 16) === crc32(lastEvent),
    `the cursor ${cursor} of a snapshot does not belong to its last event`,
  )
  const fold = JSON.stringify(foldOf(cursor))
  requireThat(fold === snapshot, () => {
    let at = 0
    while (fold[at] === snapshot[at]) at += 1
    const [wrong, right] = [snapshot, fold].map((text) => text.slice(Math.max(0, at - 80), at + 80))
    return `snapshot ${cursor} is wrong:\n${wrong}\ninstead of\n${right}`
  })
}
