import type { z } from 'zod'
import { type AdapterNamespace, adapters } from '../adapters.ts'
import type { AdapterSchemas } from './adapter.ts'
import { AgentNamespace, agentSchemas } from './agent.ts'
import { ApprovalNamespace, approvalSchemas } from './approval.ts'
import type { Definition, EventDefinition, RpcDefinition, Schemas } from './define.ts'
import { SessionNamespace, sessionSchemas } from './session.ts'

/** Every namespace with its subjects: those of the agents, then those of Sluice itself. */
export const namespaces: ReadonlyMap<string, Schemas> = new Map<string, Schemas>([
  ...Object.values(adapters).map(({ namespace, schemas }) => [namespace, schemas] as const),
  [SessionNamespace, sessionSchemas],
  [ApprovalNamespace, approvalSchemas],
  [AgentNamespace, agentSchemas],
])

/** Every subject by its full name. */
export const definitions: ReadonlyMap<string, Definition> = new Map(
  [...namespaces].flatMap(([namespace, schemas]) =>
    Object.entries(schemas).map(([name, definition]) => [`${namespace}.${name}`, definition]),
  ),
)

type Named<Namespace extends string, Table extends Schemas> = {
  [Name in keyof Table & string as `${Namespace}.${Name}`]: Table[Name]
}
type Table = Named<AdapterNamespace, AdapterSchemas> &
  Named<typeof SessionNamespace, typeof sessionSchemas> &
  Named<typeof ApprovalNamespace, typeof approvalSchemas> &
  Named<typeof AgentNamespace, typeof agentSchemas>
type SubjectOf<Wanted extends Definition> = {
  [Subject in keyof Table]: Table[Subject] extends Wanted ? Subject : never
}[keyof Table]

/** A subject that events are emitted on. */
export type EventSubject = SubjectOf<EventDefinition>
/** A subject that requests are sent on. */
export type RpcSubject = SubjectOf<RpcDefinition>

type Payloads = {
  [Subject in EventSubject]: Table[Subject] extends EventDefinition<infer Payload>
    ? z.infer<Payload>
    : never
}
type Requests = {
  [Subject in RpcSubject]: Table[Subject] extends RpcDefinition<infer Request>
    ? z.infer<Request>
    : never
}
type Responses = {
  [Subject in RpcSubject]: Table[Subject] extends RpcDefinition<z.ZodType, infer Response>
    ? z.infer<Response>
    : never
}

// Interfaces: TypeScript looks a generic subject up in an interface. A mapped type it would try to
// resolve, and lose the literal types of a responder’s answer.
interface PayloadTable extends Payloads {}
interface RequestTable extends Requests {}
interface ResponseTable extends Responses {}

/** The payload of an event subject. */
export type PayloadOf<Subject extends EventSubject> = PayloadTable[Subject]
/** The request of an RPC subject. */
export type RequestOf<Subject extends RpcSubject> = RequestTable[Subject]
/** The response of an RPC subject. */
export type ResponseOf<Subject extends RpcSubject> = ResponseTable[Subject]

/** A payload with its subject; the subject identifies the schema of the payload. */
export type BusMessage = {
  [Subject in EventSubject]: { subject: Subject; payload: Payloads[Subject] }
}[EventSubject]
