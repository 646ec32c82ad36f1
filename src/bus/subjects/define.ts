import type { z } from 'zod'

/** A subject that events are emitted on. */
export interface EventDefinition<Payload extends z.ZodType = z.ZodType> {
  kind: 'event'
  description: string
  payload: Payload
}

/** A subject that requests are sent on. */
export interface RpcDefinition<
  Request extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  kind: 'rpc'
  description: string
  request: Request
  response: Response
}

/** What a subject is for, and the schemas of what is sent on it. */
export type Definition = EventDefinition | RpcDefinition

/** The subjects of a namespace, by their names in it. */
export type Schemas = Readonly<Record<string, Definition>>

/** The full names of a namespace’s subjects, by their names in it. */
export type SubjectNames<Namespace extends string, Table extends Schemas> = {
  readonly [Name in keyof Table & string]: `${Namespace}.${Name}`
}

/** Defines an event subject. */
export const event = <Payload extends z.ZodType>(
  description: string,
  payload: Payload,
): EventDefinition<Payload> => ({ kind: 'event', description, payload })

/** Defines an RPC subject. */
export const rpc = <Request extends z.ZodType, Response extends z.ZodType>(
  description: string,
  request: Request,
  response: Response,
): RpcDefinition<Request, Response> => ({ kind: 'rpc', description, request, response })

/** The full names of a namespace’s subjects. */
export function subjectsOf<Namespace extends string, Table extends Schemas>(
  namespace: Namespace,
  schemas: Table,
): SubjectNames<Namespace, Table>
export function subjectsOf(namespace: string, schemas: Schemas): Record<string, string> {
  return Object.fromEntries(Object.keys(schemas).map((name) => [name, `${namespace}.${name}`]))
}
