import type { StampedEvent } from '../../../src/events/index.ts'
import { applyAll, emptyTranscript, type Transcript } from '../../../src/transcript/index.ts'

/** A transcript is kept for every so many events: from the one before, any moment is near. */
const stride = 256

/** Longer pauses are shortened to this when a session is played. */
const longestPause = 2000

/** A session’s events, and what was seen after any number of them. */
export interface Timeline {
  readonly length: number
  /** What was seen after the first so many events. */
  at(position: number): Transcript
  /** When the event before a position came, in ms since 1970. */
  timeAt(position: number): number | undefined
  /** How long it takes to play up to a position, in ms. */
  playTimeAt(position: number): number
  /** How many events have come after so much of playing. */
  positionAt(playTime: number): number
}

export const createTimeline = (events: readonly StampedEvent[]): Timeline => {
  const kept: Transcript[] = [emptyTranscript(events[0]?.sessionId)]
  const playTimes = playTimesOf(events)

  /** The kept transcript with this number; those before it are made on the way. */
  const keptAt = (number: number): Transcript => {
    let last = kept[kept.length - 1] ?? emptyTranscript()
    while (kept.length <= number) {
      const from = (kept.length - 1) * stride
      last = applyAll(last, events.slice(from, from + stride))
      kept.push(last)
    }
    return kept[number] ?? last
  }

  return {
    length: events.length,
    at(position) {
      const number = Math.floor(position / stride)
      return applyAll(keptAt(number), events.slice(number * stride, position))
    },
    timeAt: (position) => events[Math.max(0, position - 1)]?.timestamp,
    playTimeAt: (position) => playTimes[Math.max(0, position - 1)] ?? 0,
    positionAt: (playTime) => upperBound(playTimes, playTime),
  }
}

const playTimesOf = (events: readonly StampedEvent[]): number[] => {
  let total = 0
  return events.map(({ timestamp }, index) => {
    const before = events[index - 1]?.timestamp ?? timestamp
    total += Math.min(longestPause, Math.max(0, timestamp - before))
    return total
  })
}

/** How many of the sorted values are not above the limit. */
const upperBound = (values: readonly number[], limit: number): number => {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((values[middle] ?? 0) <= limit) low = middle + 1
    else high = middle
  }
  return low
}
