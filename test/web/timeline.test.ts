import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createStamp } from '../../src/events/stamp.ts'
import { applyEvents, emptyTranscript, toSnapshot } from '../../src/transcript/index.ts'
import { createTimeline } from '../../web/src/replay/timeline.ts'
import { decodeChunks, recording } from '../support/recordings.ts'

const stamped = () => {
  let now = 1_000_000
  const stamp = createStamp('s', () => {
    now += 40
    return now
  })
  return decodeChunks('pi', [recording('pi/1.5.0/multi-turn-5').bytes()]).map(stamp)
}

describe('a timeline', () => {
  const events = stamped()
  const timeline = createTimeline(events)

  test('has the transcript after any number of events, in any order of access', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(events.length), { maxLength: 12 }), (positions) => {
        for (const position of positions)
          expect(toSnapshot(timeline.at(position), { projectId: 'p' })).toEqual(
            toSnapshot(applyEvents(emptyTranscript('s'), events.slice(0, position)), {
              projectId: 'p',
            }),
          )
      }),
      { numRuns: 60 },
    )
  })

  test('maps play time to positions and back', () => {
    const end = timeline.playTimeAt(timeline.length)
    expect(timeline.positionAt(end)).toBe(timeline.length)
    expect(timeline.positionAt(-1)).toBe(0)
    for (const position of [1, 5, events.length - 1])
      expect(timeline.positionAt(timeline.playTimeAt(position))).toBe(position)
  })

  test('shortens long pauses', () => {
    const [first, second, ...rest] = events
    if (!first || !second) throw new Error('no events')
    const later = [second, ...rest].map((event) => ({
      ...event,
      timestamp: event.timestamp + 3_600_000,
    }))
    const slow = createTimeline([first, ...later])
    expect(slow.playTimeAt(2) - slow.playTimeAt(1)).toBe(2000)
  })
})
