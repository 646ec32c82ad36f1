import { headers, type MsgHdrs } from '@nats-io/transport-node'
import type { TextPage } from '../log.ts'
import { LogFault } from '../log-fault.ts'

/** Headers of a message with events. */
const firstHeader = 'Sluice-First'
const countHeader = 'Sluice-Count'
const objectHeader = 'Sluice-Object'
const idHeader = 'Nats-Msg-Id'

/** The events of one message, without their texts. */
export interface PackedRange {
  /** The seq of the first event. */
  readonly first: number
  readonly count: number
}

/** A message with events, as it is stored. */
export interface PackedMessage extends PackedRange {
  /** The id that its writer gave the message. */
  readonly id: string
  /** Its number in the stream. */
  readonly streamSeq: number
  /** The object with the texts, when they are too large for a message. */
  readonly object?: string
  /** The JSON of each event, one per line. */
  readonly body: Uint8Array
}

/** The JSON of events as one body. JSON has no line breaks of its own. */
export const packTexts = (texts: readonly string[]): Buffer => Buffer.from(texts.join('\n'))

/** What a message says about itself to the server. */
export interface MessageMarks {
  /** A second message with this id is not stored again. */
  id: string
  /** The number of the last message of the subject. The server refuses the message after any other. */
  after: number
  /** The object with the texts, when they are too large for a message. */
  object?: string | undefined
}

export const packedHeaders = (
  { first, count }: PackedRange,
  { id, after, object }: MessageMarks,
): MsgHdrs => {
  const made = headers()
  made.set(idHeader, id)
  made.set('Nats-Expected-Last-Subject-Sequence', String(after))
  made.set(firstHeader, String(first))
  made.set(countHeader, String(count))
  if (object !== undefined) made.set(objectHeader, object)
  return made
}

/** What the client library returns for a stored or delivered message. */
interface ReceivedMessage {
  readonly seq: number
  readonly data: Uint8Array
  readonly headers?: MsgHdrs | undefined
  readonly header?: MsgHdrs | undefined
}

/** Reads a message with events. Throws `damaged` when it is none. */
export const packedMessage = (message: ReceivedMessage): PackedMessage => {
  const found = message.headers ?? message.header
  const first = Number(found?.get(firstHeader))
  const count = Number(found?.get(countHeader))
  if (!found || !Number.isSafeInteger(first) || !(first > 0) || !(count > 0))
    throw new LogFault('damaged', `Message ${message.seq} of the stream holds no events.`)
  const object = found.get(objectHeader)
  return {
    first,
    count,
    id: found.get(idHeader),
    streamSeq: message.seq,
    body: message.data,
    ...(object !== '' && { object }),
  }
}

/** The texts of a body. Throws `damaged` when their number is not the one in the headers. */
export const unpackTexts = ({ first, count }: PackedRange, body: Uint8Array): TextPage => {
  const texts = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString().split('\n')
  if (texts.length === count) return { first, texts }
  throw new LogFault('damaged', `Event ${first} and those stored with it cannot be read.`, {
    seq: first,
  })
}
