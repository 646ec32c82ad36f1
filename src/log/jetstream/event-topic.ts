import { DeliverPolicy } from '@nats-io/jetstream'
import type { MsgHdrs } from '@nats-io/transport-node'
import type { JetStreamContext } from './context.ts'
import type { ObjectBodies } from './object-bodies.ts'
import { type PackedMessage, packedMessage } from './packed-events.ts'

/** The messages of one session in the stream of events. */
export interface EventTopic {
  readonly sessionId: string
  /** How many bytes of events a message holds at most. */
  readonly maxLength: number
  /** The events that are too large for a message. */
  readonly objects: ObjectBodies
  /**
   * Publishes a message and returns its number in the stream. The headers hold its id and what must be
   * the last message before it. Rejects on a conflict.
   */
  publish(body: Uint8Array, headers: MsgHdrs): Promise<number>
  /** The last message, as the leader of the stream knows it. Others may not have it yet. */
  last(): Promise<PackedMessage | undefined>
  /**
   * The first message at or behind a number of the stream, as any replica has it. One that is catching
   * up may leave messages out.
   */
  next(streamSeq: number): Promise<PackedMessage | undefined>
  /** The same, as the leader of the stream knows it. */
  nextOfLeader(streamSeq: number): Promise<PackedMessage | undefined>
  /** All messages at or behind a number of the stream. Ends when none comes for some time. */
  consume(streamSeq: number): AsyncIterable<PackedMessage>
  /** Deletes all messages. */
  purge(): Promise<void>
}

/** Room for the headers of a message. */
const headerRoom = 4096

/** A consumer that says nothing for this long has lost its server. */
const silentMs = 3000

export const createEventTopic = (
  sessionId: string,
  {
    link,
    names,
    objects,
    publisher,
    appendTimes,
  }: Pick<JetStreamContext, 'link' | 'names' | 'objects' | 'publisher' | 'appendTimes'>,
): EventTopic => {
  const { manager, client, connection } = link
  const stream = names.eventStream
  const subject = names.eventsOf(sessionId)
  const nextOfLeader = async (streamSeq: number): Promise<PackedMessage | undefined> => {
    const query = { seq: Math.max(1, streamSeq), next_by_subj: subject }
    const found = await link.insist(() => manager.streams.getMessage(stream, query))
    return found ? packedMessage(found) : undefined
  }

  return {
    sessionId,
    objects,
    maxLength: (connection.info?.max_payload ?? 1_048_576) - headerRoom,
    async publish(body, headers) {
      headers.set('Nats-Expected-Stream', stream)
      const start = performance.now()
      const stored = await link.insist(() => publisher.publish(subject, body, headers))
      link.calls.noteStored()
      appendTimes.add((performance.now() - start) / 1000)
      return stored
    },
    async last() {
      const query = { last_by_subj: subject }
      const found = await link.insist(() => manager.streams.getMessage(stream, query))
      return found ? packedMessage(found) : undefined
    },
    async next(streamSeq) {
      const query = { seq: Math.max(1, streamSeq), next_by_subj: subject }
      const found = await link.insist(() => manager.direct.getMessage(stream, query))
      return found ? packedMessage(found) : nextOfLeader(streamSeq)
    },
    nextOfLeader,
    async *consume(streamSeq) {
      const consumer = await link.insist(() =>
        client.consumers.get(stream, {
          filter_subjects: subject,
          deliver_policy: DeliverPolicy.StartSequence,
          opt_start_seq: streamSeq,
        }),
      )
      const messages = await consumer.consume({ max_messages: 200 })
      let timer = setTimeout(() => messages.stop(), silentMs)
      try {
        for await (const message of messages) {
          clearTimeout(timer)
          yield packedMessage(message)
          timer = setTimeout(() => messages.stop(), silentMs)
        }
      } finally {
        clearTimeout(timer)
        await messages.close()
        // It would end by itself, but only after a while.
        if (link.isConnected()) await consumer.delete().catch(() => {})
      }
    },
    async purge() {
      await link.insist(() => manager.streams.purge(stream, { filter: subject }))
    },
  }
}
