import { z } from 'zod'
import {
  type BusMessage,
  definitions,
  type RequestOf,
  type ResponseOf,
  type RpcSubject,
} from './subjects/table.ts'

type Part = 'payload' | 'request' | 'response'

/** What is told is checked most often, so its schemas are at hand. */
const payloads = new Map(
  [...definitions].flatMap(([subject, definition]) =>
    definition.kind === 'event' ? [[subject, definition.payload] as const] : [],
  ),
)

/** Whether a payload is what its subject promises. */
export const isMessage = (message: { subject: string; payload: unknown }): message is BusMessage =>
  (payloads.get(message.subject) ?? schemaOf(message.subject, 'payload')).safeParse(message.payload)
    .success

/** Whether a request is what its subject promises. */
export const isRequest = <Subject extends RpcSubject>(
  subject: Subject,
  value: unknown,
): value is RequestOf<Subject> => schemaOf(subject, 'request').safeParse(value).success

/** Whether a response is what its subject promises. */
export const isResponse = <Subject extends RpcSubject>(
  subject: Subject,
  value: unknown,
): value is ResponseOf<Subject> => schemaOf(subject, 'response').safeParse(value).success

/** Throws where nothing can be asked. */
export const demandRpc = (subject: string): void => void schemaOf(subject, 'request')

/** What is wrong with a value, as an error. */
export const problemOf = (subject: string, part: Part, value: unknown): Error => {
  const { error } = schemaOf(subject, part).safeParse(value)
  return new Error(`wrong ${part} on ${subject}: ${error ? z.prettifyError(error) : 'unclear'}`)
}

const schemaOf = (subject: string, part: Part): z.ZodType => {
  const definition = definitions.get(subject)
  if (definition?.kind === 'event' && part === 'payload') return definition.payload
  if (definition?.kind === 'rpc' && part !== 'payload') return definition[part]
  throw new Error(`${subject} is no subject with a ${part}`)
}
