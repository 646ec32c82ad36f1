import type { BlobRef, Envelope, EventOf, EventType } from '../../events/types.ts'
import { type Adapter, type AdapterNamespace, adapters } from '../adapters.ts'
import type { BusMessage } from '../subjects/table.ts'
import {
  type BlockTexts,
  createBlockTexts,
  createRunMessages,
  type RunMessages,
} from './collect.ts'

/** The ids that an adapter puts into its messages. */
export interface AdapterIds {
  adapterId: string
  agentId: string
}

type Subjects = Adapter['subjects']

/** A message in the namespace of an agent. */
export type AdapterMessage = Extract<BusMessage, { subject: Subjects[keyof Subjects] }>

/** The state of the projection of one session. */
export interface ProjectionContext {
  ids: AdapterIds
  subjects: Subjects
  blocks: BlockTexts
  run: RunMessages
  /** Arguments of tools that were called and have not started. */
  inputs: Map<string, { input: unknown; blob?: BlobRef | undefined }>
  /** The model that answers; undefined until the agent names it. */
  model: string | undefined
}

export const createProjectionContext = (
  namespace: AdapterNamespace,
  ids: AdapterIds,
): ProjectionContext => ({
  ids,
  subjects: subjectsIn(namespace),
  blocks: createBlockTexts(),
  run: createRunMessages(),
  inputs: new Map(),
  model: undefined,
})

const subjectsIn = (namespace: AdapterNamespace): Subjects => {
  const adapter = Object.values<Adapter>(adapters).find((each) => each.namespace === namespace)
  if (!adapter) throw new Error(`No agent has the namespace ${namespace}.`)
  return adapter.subjects
}

/** A stored event of one type. */
export type Stamped<Type extends EventType> = EventOf<Type> & Envelope

/** The messages of each type of event. A type that is not here has no subject of its own. */
export type ProjectionTable = {
  [Type in EventType]?: (event: Stamped<Type>, context: ProjectionContext) => AdapterMessage[]
}

/** Whether an event belongs to the main thread, and not to a subagent or a nested tool. */
export const isMainThread = ({
  parentToolCallId,
}: {
  parentToolCallId?: string | undefined
}): boolean => parentToolCallId === undefined
