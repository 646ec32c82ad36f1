import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { snapshot as snapshotSchema } from '../../src/events/snapshot.ts'
import type { AgentEvent, ConnectionEvent, Snapshot } from '../../src/events/types.ts'
import {
  applyEvent,
  applyEvents,
  emptyTranscript,
  entriesOf,
  fromSnapshot,
  listItems,
  type Transcript,
  toSnapshot,
} from '../../src/transcript/index.ts'
import { createTurnTracker } from '../../src/turns/turns.ts'
import { textOf } from '../support/decoded.ts'
import { recordings } from '../support/recordings.ts'
import { stampedEvents } from './events.ts'

/** The text of the main thread, collected as for scripts. */
const textIn = (transcript: Transcript): string =>
  textOf(
    entriesOf(transcript).flatMap((entry): AgentEvent[] =>
      entry.kind === 'message' ? [{ type: 'message_end', ...entry }] : [],
    ),
  )

/** A compaction and a reset mark what the model no longer sees. */
const marksMany = (event: AgentEvent): boolean =>
  event.type === 'compaction_end' || (event.type === 'session_update' && event.reset === true)

/** A snapshot after a round trip through JSON. */
const sentSnapshot = (transcript: Transcript): Snapshot =>
  JSON.parse(JSON.stringify(toSnapshot(transcript, { projectId: 'p' })))

const expectSame = (left: Transcript, right: Transcript) => {
  if (!isDeepStrictEqual(left, right)) expect(left).toStrictEqual(right)
}

describe.each(recordings.map((each) => [each.name, each] as const))('%s', (_, recording) => {
  const events = stampedEvents(recording)
  const all = applyEvents(emptyTranscript(), events)
  const cut = fc.nat(events.length)

  test('has the text of the agent', () => {
    expect(textIn(all)).toBe(textOf(events))
  })

  test('leaves nothing open', () => {
    const threads = listItems(all.threads)
    expect(threads.filter((thread) => thread.open !== null)).toEqual([])
    expect(all.running.size).toBe(0)
    expect(all.isStreaming).toBe(false)
    expect(all.approvals.filter((each) => each.toolCallId !== undefined)).toEqual([])
    expect(all.seq).toBe(events.length)
  })

  test('has the state of the turn tracker', () => {
    const turns = createTurnTracker()
    for (const event of events) turns.push(event)
    expect(all.turnState).toBe(turns.state())
  })

  test('applying a prefix and then the rest, with an overlap, gives the same', () => {
    const halves = (length: number, overlap: number) => {
      const prefix = applyEvents(emptyTranscript(), events.slice(0, length))
      expectSame(applyEvents(prefix, events.slice(Math.max(0, length - overlap))), all)
    }
    fc.assert(fc.property(cut, fc.nat(20), halves), { numRuns: 10 })
  })

  test('restoring a snapshot and applying the rest gives the same', () => {
    const resumed = (length: number) => {
      const prefix = applyEvents(emptyTranscript(), events.slice(0, length))
      const snapshot = sentSnapshot(prefix)
      if (length > 0) expectSame(fromSnapshot(snapshot), prefix)
      expectSame(applyEvents(fromSnapshot(snapshot), events.slice(length)), {
        ...all,
        sessionId: all.sessionId ?? '',
      })
    }
    fc.assert(fc.property(cut, resumed), { numRuns: 20 })
  })

  test('a snapshot is a valid connection event', () => {
    const valid = (length: number) => {
      const prefix = applyEvents(emptyTranscript('s'), events.slice(0, length))
      const event: ConnectionEvent = toSnapshot(prefix, { projectId: 'p' })
      expect(snapshotSchema.safeParse(event).error?.issues ?? []).toEqual([])
    }
    fc.assert(fc.property(cut, valid), { numRuns: 10 })
  })

  test('an entry that an event does not change stays the same object', () => {
    let before = emptyTranscript()
    for (const event of events) {
      const after = applyEvent(before, event)
      if (!marksMany(event)) expect(newEntries(before, after)).toBeLessThanOrEqual(1)
      before = after
    }
  })
})

/** How many entries are not the same objects as before. */
const newEntries = (before: Transcript, after: Transcript): number => {
  if (before.threads === after.threads) return 0
  const old = new Set(allEntries(before))
  return allEntries(after).filter((entry) => !old.has(entry)).length
}

const allEntries = (transcript: Transcript) =>
  listItems(transcript.threads).flatMap((thread) => listItems(thread.entries))
