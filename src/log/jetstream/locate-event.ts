import { LogFault } from '../log-fault.ts'
import type { EventTopic } from './event-topic.ts'
import type { PackedMessage } from './packed-events.ts'
import type { Positions } from './positions.ts'

/** Finds the message with an event. A replica may leave it out, so the leader decides. */
export const locateEvent = async (
  topic: EventTopic,
  positions: Positions,
  seq: number,
  last: PackedMessage,
): Promise<PackedMessage> => {
  if (last.first <= seq) return last
  for (const next of [topic.next, topic.nextOfLeader]) {
    const found = await search({ ...topic, next }, positions, seq, last)
    if (found) return found
  }
  throw missingEvent(topic.sessionId, seq)
}

/** Searches from a known position, or by halving the part of the stream. */
const search = async (
  topic: Pick<EventTopic, 'sessionId' | 'next'>,
  positions: Positions,
  seq: number,
  last: PackedMessage,
): Promise<PackedMessage | undefined> => {
  let low = positions.before(topic.sessionId, seq)?.streamSeq ?? 1
  let high = last.streamSeq
  // The first try is the known message itself: most reads go on where one ended.
  let middle = low
  while (low < high) {
    const message = await topic.next(middle)
    if (!message) return undefined
    positions.add(topic.sessionId, message)
    if (message.first > seq) high = middle
    else if (message.first + message.count > seq) return message
    else low = message.streamSeq + 1
    middle = low + Math.floor((high - low) / 2)
  }
  return undefined
}

export const missingEvent = (sessionId: string, seq: number): LogFault =>
  new LogFault('damaged', `Event ${seq} of session ${sessionId} is not in the stream.`, { seq })
