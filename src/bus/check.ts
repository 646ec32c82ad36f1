import { z } from 'zod'
import {
  type BusMessage,
  definitions,
  type RequestOf,
  type ResponseOf,
  type RpcSubject,
} from './subjects/table.ts'

type Part = 'payload' | 'request' | 'response'

/** The schemas of event payloads at hand: emitted messages are checked most often. */
const payloads = new Map(
  [...definitions].flatMap(([subject, definition]) =>
    definition.kind === 'event' ? [[subject, definition.payload] as const] : [],
  ),
)

/** Whether a payload matches the schema of its subject. */
export const isBusMessage = (message: {
  subject: string
  payload: unknown
}): message is BusMessage =>
  (payloads.get(message.subject) ?? schemaOf(message.subject, 'payload')).safeParse(message.payload)
    .success

/** Whether a request matches the schema of its subject. */
export const isRequest = <Subject extends RpcSubject>(
  subject: Subject,
  value: unknown,
): value is RequestOf<Subject> => schemaOf(subject, 'request').safeParse(value).success

/** Whether a response matches the schema of its subject. */
export const isResponse = <Subject extends RpcSubject>(
  subject: Subject,
  value: unknown,
): value is ResponseOf<Subject> => schemaOf(subject, 'response').safeParse(value).success

/** Throws for a subject that takes no requests. */
export const ensureRpc = (subject: string): void => void schemaOf(subject, 'request')

/** The error for a value that does not match its schema. */
export const schemaError = (subject: string, part: Part, value: unknown): Error => {
  const { error } = schemaOf(subject, part).safeParse(value)
  return new Error(`Invalid ${part} on ${subject}: ${error ? z.prettifyError(error) : 'unclear'}`)
}

const schemaOf = (subject: string, part: Part): z.ZodType => {
  const definition = definitions.get(subject)
  if (definition?.kind === 'event' && part === 'payload') return definition.payload
  if (definition?.kind === 'rpc' && part !== 'payload') return definition[part]
  throw new Error(`${subject} is not ${part === 'payload' ? 'an event' : 'an RPC'} subject.`)
}
