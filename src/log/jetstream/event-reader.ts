import { setImmediate as nextTurn } from 'node:timers/promises'
import type { TextPage } from '../log.ts'
import { LogFault } from '../log-fault.ts'
import type { EventTopic } from './event-topic.ts'
import { locateEvent, missingEvent } from './locate-event.ts'
import { type PackedMessage, unpackTexts } from './packed-events.ts'
import type { Positions } from './positions.ts'

/** With more events than this to read, a consumer is faster than single requests. */
const manyEvents = 300

/** How many events a page has at most. */
const pageSize = 1000

/** Reads the events after `after`, at most `limit`, up to the head at the time of the call. */
export async function* readEvents(
  topic: EventTopic,
  positions: Positions,
  { after, limit }: { after: number; limit: number },
): AsyncGenerator<TextPage> {
  const last = await topic.last()
  const from = Math.max(0, after)
  const stop = last ? Math.min(last.first + last.count - 1, from + limit) : 0
  if (!last || from >= stop) return
  const start = await locateEvent(topic, positions, from + 1, last)
  for await (const message of messagesFrom(topic, start, stop)) {
    positions.add(topic.sessionId, message)
    const { first, texts } = await textsOf(topic, message)
    const begin = Math.max(first, from + 1)
    const wanted = texts.slice(begin - first, stop - first + 1)
    for (let at = 0; at < wanted.length; at += pageSize) {
      yield { first: begin + at, texts: wanted.slice(at, at + pageSize) }
      await nextTurn()
    }
  }
}

/** All messages from one on, up to an event. */
async function* messagesFrom(
  topic: EventTopic,
  start: PackedMessage,
  stop: number,
): AsyncGenerator<PackedMessage> {
  let message = start
  let isConsumerUsable = true
  for (;;) {
    yield message
    let next = message.first + message.count
    if (next > stop) return
    if (isConsumerUsable && stop - next > manyEvents) {
      // One that fell silent or left something out is not used again.
      isConsumerUsable = false
      for await (const each of topic.consume(message.streamSeq + 1)) {
        if (each.first !== next) break
        message = each
        next = message.first + message.count
        yield message
        if (next > stop) return
      }
    }
    message = await followingMessage(topic, message.streamSeq + 1, next)
  }
}

/** The message that begins with an event. A replica may leave it out, so the leader decides. */
const followingMessage = async (
  topic: EventTopic,
  streamSeq: number,
  first: number,
): Promise<PackedMessage> => {
  for (const next of [topic.next, topic.nextOfLeader]) {
    const found = await next(streamSeq)
    if (found?.first === first) return found
  }
  throw missingEvent(topic.sessionId, first)
}

const textsOf = async (topic: EventTopic, message: PackedMessage): Promise<TextPage> => {
  if (message.object === undefined) return unpackTexts(message, message.body)
  const body = await topic.objects.get(message.object)
  if (body) return unpackTexts(message, body)
  const reason = `The events from ${message.first} on are missing in the object store.`
  throw new LogFault('damaged', reason, { seq: message.first })
}
