import type { EventType, StampedEvent } from '../events/types.ts'
import {
  type AdapterIds,
  type AdapterMessage,
  type AdapterNamespace,
  type Context,
  createContext,
  type ProjectionTable,
  type Stamped,
} from './project/context.ts'
import { flowProjections } from './project/flow.ts'
import { messageProjections } from './project/messages.ts'
import { nativeMessage, runProjections } from './project/run.ts'
import { toolProjections } from './project/tools.ts'

export type { AdapterIds, AdapterMessage, AdapterNamespace } from './project/context.ts'

type Typed<Type extends EventType> = { [Key in EventType]: Stamped<Key> }[Type] & { type: Type }

/**
 * Which events become which messages. What is said is the main thread’s; what is done and what it
 * costs is everybody’s.
 */
const table: ProjectionTable = {
  ...runProjections,
  ...messageProjections,
  ...toolProjections,
  ...flowProjections,
}

/** Turns the events of one session into messages of its agent’s namespace. */
export const createProjection = (namespace: AdapterNamespace, ids: AdapterIds) => {
  const context = createContext(namespace, ids)
  return {
    /** One event in, zero or more messages out. */
    push: (event: StampedEvent): AdapterMessage[] => project(event, context),
    /** An event in the agent’s own words, for whoever has it at hand. */
    native: (event: unknown, sessionId: string): AdapterMessage =>
      nativeMessage(event, sessionId, context),
  }
}
/** The projection of one session. */
export type Projection = ReturnType<typeof createProjection>

const project = <Type extends EventType>(
  event: Typed<Type>,
  context: Context,
): AdapterMessage[] => {
  const projection: ProjectionTable[Type] = table[event.type]
  return projection?.(event, context) ?? []
}
