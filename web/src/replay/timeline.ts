import type { StampedEvent } from '../../../src/events/index.ts'
import { applyEvents, emptyTranscript, type Transcript } from '../../../src/transcript/index.ts'

/** A checkpoint is stored for every so many events, so that any moment is close to one. */
const stride = 256

/** Longer pauses are shortened to this when a session is played. */
const longestPauseMs = 2000

/** A session’s events, and its transcript after any number of them. */
export interface Timeline {
  /** How many events there are. */
  readonly length: number
  /** The transcript after the first so many events. */
  at(position: number): Transcript
  /** When the event before a position happened, in ms since 1970. */
  timeAt(position: number): number | undefined
  /** How long it takes to play up to a position, in ms. */
  playTimeAt(position: number): number
  /** How many events have happened after so many ms of playing. */
  positionAt(playTime: number): number
}

export const createTimeline = (events: readonly StampedEvent[]): Timeline => {
  const checkpoints: Transcript[] = [emptyTranscript(events[0]?.sessionId)]
  const playTimes = playTimesOf(events)

  /** The checkpoint with this number; creates the missing ones before it. */
  const checkpointAt = (number: number): Transcript => {
    let last = checkpoints[checkpoints.length - 1] ?? emptyTranscript()
    while (checkpoints.length <= number) {
      const from = (checkpoints.length - 1) * stride
      last = applyEvents(last, events.slice(from, from + stride))
      checkpoints.push(last)
    }
    return checkpoints[number] ?? last
  }

  return {
    length: events.length,
    at(position) {
      const number = Math.floor(position / stride)
      return applyEvents(checkpointAt(number), events.slice(number * stride, position))
    },
    timeAt: (position) => events[Math.max(0, position - 1)]?.timestamp,
    playTimeAt: (position) => playTimes[Math.max(0, position - 1)] ?? 0,
    positionAt: (playTime) => upperBound(playTimes, playTime),
  }
}

const playTimesOf = (events: readonly StampedEvent[]): number[] => {
  let total = 0
  return events.map(({ timestamp }, index) => {
    const previous = events[index - 1]?.timestamp ?? timestamp
    total += Math.min(longestPauseMs, Math.max(0, timestamp - previous))
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
