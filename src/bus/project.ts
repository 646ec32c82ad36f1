import type { EventType, StampedEvent } from '../events/types.ts'
import type { AdapterNamespace } from './adapters.ts'
import {
  type AdapterIds,
  type AdapterMessage,
  createProjectionContext,
  type ProjectionContext,
  type ProjectionTable,
  type Stamped,
} from './project/context.ts'
import { flowProjections } from './project/flow.ts'
import { messageProjections } from './project/messages.ts'
import { nativeMessage, runProjections } from './project/run.ts'
import { toolProjections } from './project/tools.ts'

export type { AdapterIds, AdapterMessage } from './project/context.ts'

/** Turns the events of one session into messages of its agent’s namespace. */
export interface Projection {
  /** One event in, zero or more messages out. */
  push(event: StampedEvent): AdapterMessage[]
  /** The message for an event in the agent’s own format. */
  native(event: unknown, sessionId: string): AdapterMessage
}

/** Text and messages are those of the main thread; tools and usage are those of every thread. */
const table: ProjectionTable = {
  ...runProjections,
  ...messageProjections,
  ...toolProjections,
  ...flowProjections,
}

export const createProjection = (namespace: AdapterNamespace, ids: AdapterIds): Projection => {
  const context = createProjectionContext(namespace, ids)
  return {
    push: (event) => project(event, context),
    native: (event, sessionId) => nativeMessage(event, sessionId, context),
  }
}

type Typed<Type extends EventType> = { [Key in EventType]: Stamped<Key> }[Type] & { type: Type }

const project = <Type extends EventType>(
  event: Typed<Type>,
  context: ProjectionContext,
): AdapterMessage[] => {
  const projection: ProjectionTable[Type] = table[event.type]
  return projection?.(event, context) ?? []
}
