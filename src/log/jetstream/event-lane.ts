import { randomUUID } from 'node:crypto'
import { checkNextSeq, type EventBatch } from '../event-batch.ts'
import { LogFault } from '../log-fault.ts'
import type { EventTopic } from './event-topic.ts'
import { type PackedMessage, packedHeaders, packTexts } from './packed-events.ts'
import { patiently } from './patiently.ts'
import { refusal, serverErrorOf } from './server-errors.ts'

/**
 * Appends to one session, in the order of the calls. One message is on its way at a time: the server
 * refuses a second one, because it compares each with the last that all replicas have. What is appended
 * meanwhile goes into the next message together.
 */
export interface EventLane {
  /**
   * Stores a batch, however long the cluster does not answer. `ready` must resolve before. When a batch
   * fails, those that wait behind it fail too.
   */
  append(batch: EventBatch, ready?: Promise<unknown>): Promise<void>
}

/** Stores the name of an object that holds events of a session. */
export type NoteObject = (sessionId: string, name: string) => Promise<void>

/** The end of a session’s events. */
interface End {
  /** The number of the last message in the stream; 0 when there is none. */
  streamSeq: number
  /** The seq of the last event. */
  head: number
}

interface Waiting extends EventBatch, PromiseWithResolvers<void> {
  readonly ready: Promise<unknown> | undefined
}

export interface EventLaneOptions {
  /** Is part of the id of every message of this process. */
  writerId: string
  noteObject: NoteObject
  /** Resolves when this node may write; throws `fenced` when another one may. */
  mayWrite(sessionId: string): Promise<void> | undefined
}

export const createEventLane = (topic: EventTopic, options: EventLaneOptions): EventLane => {
  const { noteObject, mayWrite } = options
  const { sessionId } = topic
  /** Names this writer. Another one of the same session never makes the same message ids. */
  const writer = `${options.writerId}.${randomUUID()}`
  let end: End | undefined
  const waiting: Waiting[] = []
  let isWorking = false

  const load = async (): Promise<End> => {
    const last = await topic.last()
    return last ? endOf(last) : { streamSeq: 0, head: 0 }
  }

  /** Takes the batches that follow each other and fit into one message, and rejects wrong ones. */
  const takePack = (head: number): Waiting[] => {
    const pack: Waiting[] = []
    const [awaited] = waiting
    let next = head + 1
    let length = 0
    /** Only the first batch has been waited for: one that is not ready begins the next message. */
    const fits = (batch: Waiting): boolean =>
      batch === awaited ||
      (!batch.ready && (pack.length === 0 || length + batch.length < topic.maxLength))
    while (waiting[0] && fits(waiting[0])) {
      const batch = waiting.shift()
      if (!batch) break
      try {
        checkNextSeq(sessionId, next, batch.first)
      } catch (cause) {
        batch.reject(cause)
        continue
      }
      pack.push(batch)
      next += batch.texts.length
      length += batch.length
    }
    return pack
  }

  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      let pack: Waiting[] = []
      try {
        await waiting[0]?.ready
        await mayWrite(sessionId)
        const before = end ?? (await patiently(load))
        end = before
        pack = takePack(before.head)
        if (pack.length > 0)
          end = await patiently(() => storePack(topic, { writer, noteObject }, pack, before))
        for (const batch of pack) batch.resolve()
      } catch (cause) {
        end = undefined
        // What waits follows the batches that failed. It must not follow those of another writer.
        for (const batch of [...pack, ...waiting.splice(0)]) batch.reject(refusal(cause))
      }
    }
    isWorking = false
  }

  return {
    append(batch, ready) {
      const entry = { ...batch, ready, ...Promise.withResolvers<void>() }
      waiting.push(entry)
      if (!isWorking) {
        isWorking = true
        // Not at once, so that all appends of one turn make one message.
        queueMicrotask(() => void work())
      }
      return entry.promise
    },
  }
}

/** Stores batches as one message, and returns the new end. */
const storePack = async (
  topic: EventTopic,
  { writer, noteObject }: { writer: string; noteObject: NoteObject },
  pack: readonly EventBatch[],
  { streamSeq, head }: End,
): Promise<End> => {
  const { sessionId, objects, maxLength } = topic
  const texts = pack.flatMap((batch) => batch.texts)
  const range = { first: head + 1, count: texts.length }
  const id = `${sessionId}:${range.first}:${writer}`
  const body = packTexts(texts)
  const isLarge = body.length > maxLength
  if (isLarge) {
    // Noted first: an object that nobody knows would stay forever.
    await noteObject(sessionId, id)
    await objects.put(id, body)
  }
  try {
    const headers = packedHeaders(range, { id, after: streamSeq, object: isLarge ? id : undefined })
    const stored = await topic.publish(isLarge ? new Uint8Array() : body, headers)
    return { streamSeq: stored, head: head + texts.length }
  } catch (cause) {
    if (serverErrorOf(cause) !== 'conflict') throw cause
    // A try that got no answer may have been stored all the same, and another node may have appended since.
    const next = await topic.nextOfLeader(streamSeq + 1)
    if (next?.id === id) return endOf(next)
    if (isLarge) await objects.remove(id)
    throw fenced(sessionId, cause)
  }
}

const endOf = ({ streamSeq, first, count }: PackedMessage): End => ({
  streamSeq,
  head: first + count - 1,
})

export const fenced = (sessionId: string, cause?: unknown): LogFault =>
  new LogFault('fenced', `Another node has taken over session ${sessionId}.`, { cause })
