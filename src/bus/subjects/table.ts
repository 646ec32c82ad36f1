import type { z } from 'zod'
import { ApprovalNamespace, approvalSchemas } from './approval.ts'
import { ClaudeCliNamespace, claudeCliSchemas } from './claude-cli.ts'
import type { Definition, EventDefinition, RpcDefinition, Schemas } from './define.ts'
import { DemoNamespace, demoSchemas } from './demo.ts'
import { PiSdkNamespace, piSdkSchemas } from './pi-sdk.ts'
import { SessionNamespace, sessionSchemas } from './session.ts'

/** Every namespace with its subjects. */
export const namespaces = {
  [PiSdkNamespace]: piSdkSchemas,
  [ClaudeCliNamespace]: claudeCliSchemas,
  [DemoNamespace]: demoSchemas,
  [SessionNamespace]: sessionSchemas,
  [ApprovalNamespace]: approvalSchemas,
} satisfies Record<string, Schemas>
/** The name of a namespace. */
export type Namespace = keyof typeof namespaces

/** Every subject by its whole name. */
export const definitions: ReadonlyMap<string, Definition> = new Map(
  Object.entries(namespaces).flatMap(([namespace, schemas]) =>
    Object.entries<Definition>(schemas).map(([name, definition]) => [
      `${namespace}.${name}`,
      definition,
    ]),
  ),
)

type Named<Prefix extends Namespace> = {
  [Name in keyof (typeof namespaces)[Prefix] &
    string as `${Prefix}.${Name}`]: (typeof namespaces)[Prefix][Name]
}
type Table = Named<'adapter:piSdk'> &
  Named<'adapter:claudeCli'> &
  Named<'adapter:demo'> &
  Named<'session'> &
  Named<'approval'>
type Kind<Wanted> = {
  [Subject in keyof Table]: Table[Subject] extends Wanted ? Subject : never
}[keyof Table]

/** A subject on which things are told. */
export type EventSubject = Kind<EventDefinition>
/** A subject on which things are asked. */
export type RpcSubject = Kind<RpcDefinition>

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

// Interfaces, because TypeScript looks up a generic subject in them, where it would try to work
// out a mapped type and lose the literals of whoever answers.
interface PayloadTable extends Payloads {}
interface RequestTable extends Requests {}
interface ResponseTable extends Responses {}

/** What is told on a subject. */
export type PayloadOf<Subject extends EventSubject> = PayloadTable[Subject]
/** What is asked on a subject. */
export type RequestOf<Subject extends RpcSubject> = RequestTable[Subject]
/** What is answered on a subject. */
export type ResponseOf<Subject extends RpcSubject> = ResponseTable[Subject]

/** A payload with the subject that it is told on; the subject says what the payload is. */
export type BusMessage = {
  [Subject in EventSubject]: { subject: Subject; payload: Payloads[Subject] }
}[EventSubject]
