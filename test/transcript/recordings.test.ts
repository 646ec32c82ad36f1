import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { snapshot as snapshotSchema } from '../../src/events/snapshot.ts'
import type { AgentEvent, ConnectionEvent, Snapshot } from '../../src/events/types.ts'
import {
  apply,
  applyAll,
  emptyTranscript,
  entriesOf,
  fromSnapshot,
  items,
  type Transcript,
  toSnapshot,
} from '../../src/transcript/index.ts'
import { createTurnTracker } from '../../src/turns/turns.ts'
import { textOf } from '../support/decoded.ts'
import { recordings } from '../support/recordings.ts'
import { stampedEvents } from './events.ts'

/** What the model said on the main thread, by the same rule that scripts get it by. */
const textIn = (transcript: Transcript): string =>
  textOf(
    entriesOf(transcript).flatMap((entry): AgentEvent[] =>
      entry.kind === 'message' ? [{ type: 'message_end', ...entry }] : [],
    ),
  )

/** A summary and a reset take all that was said before them out of sight. */
const isNewBeginning = (event: AgentEvent): boolean =>
  (event.type === 'compaction_end' && event.summary !== undefined) ||
  (event.type === 'session_update' && event.reset === true)

/** A snapshot as it comes over the wire. */
const sent = (transcript: Transcript): Snapshot =>
  JSON.parse(JSON.stringify(toSnapshot(transcript, { projectId: 'p' })))

const same = (left: Transcript, right: Transcript) => {
  if (!isDeepStrictEqual(left, right)) expect(left).toStrictEqual(right)
}

describe.each(recordings.map((each) => [each.name, each] as const))('%s', (_, recording) => {
  const events = stampedEvents(recording)
  const all = applyAll(emptyTranscript(), events)
  const cut = fc.nat(events.length)

  test('shows the text that the agent said', () => {
    const from = events.findLastIndex(isNewBeginning) + 1
    expect(textIn(all)).toBe(textOf(events.slice(from)))
  })

  test('leaves nothing open', () => {
    const threads = items(all.threads)
    expect(threads.filter((thread) => thread.open !== null)).toEqual([])
    expect(all.running.size).toBe(0)
    expect(all.isStreaming).toBe(false)
    expect(all.approvals.filter((each) => each.toolCallId !== undefined)).toEqual([])
    expect(all.seq).toBe(events.length)
  })

  test('is in the state that its turns are in', () => {
    const turns = createTurnTracker()
    for (const event of events) turns.push(event)
    expect(all.turnState).toBe(turns.state())
  })

  test('a prefix, and then the rest or more than the rest, comes to the same', () => {
    const halves = (place: number, overlap: number) => {
      const prefix = applyAll(emptyTranscript(), events.slice(0, place))
      same(applyAll(prefix, events.slice(Math.max(0, place - overlap))), all)
    }
    fc.assert(fc.property(cut, fc.nat(20), halves), { numRuns: 10 })
  })

  test('a snapshot, and then the rest, comes to the same', () => {
    const resumed = (place: number) => {
      const prefix = applyAll(emptyTranscript(), events.slice(0, place))
      const snapshot = sent(prefix)
      if (place > 0) same(fromSnapshot(snapshot), prefix)
      same(applyAll(fromSnapshot(snapshot), events.slice(place)), {
        ...all,
        sessionId: all.sessionId ?? '',
      })
    }
    fc.assert(fc.property(cut, resumed), { numRuns: 20 })
  })

  test('a snapshot is an event of the connection', () => {
    const valid = (place: number) => {
      const prefix = applyAll(emptyTranscript('s'), events.slice(0, place))
      const event: ConnectionEvent = toSnapshot(prefix, { projectId: 'p' })
      expect(snapshotSchema.safeParse(event).error?.issues ?? []).toEqual([])
    }
    fc.assert(fc.property(cut, valid), { numRuns: 10 })
  })

  test('an entry that an event does not touch stays the same object', () => {
    let before = emptyTranscript()
    for (const event of events) {
      const after = apply(before, event)
      expect(newEntries(before, after)).toBeLessThanOrEqual(1)
      before = after
    }
  })
})

/** How many entries are not the very objects that were there before. */
const newEntries = (before: Transcript, after: Transcript): number => {
  if (before.threads === after.threads) return 0
  const known = new Set(allEntries(before))
  return allEntries(after).filter((entry) => !known.has(entry)).length
}

const allEntries = (transcript: Transcript) =>
  items(transcript.threads).flatMap((thread) => items(thread.entries))
