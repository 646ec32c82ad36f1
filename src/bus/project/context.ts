import type { BlobRef, Envelope, EventOf, EventType } from '../../events/types.ts'
import { ClaudeCliNamespace, ClaudeCliSubjects } from '../subjects/claude-cli.ts'
import { DemoNamespace, DemoSubjects } from '../subjects/demo.ts'
import { PiSdkNamespace, PiSdkSubjects } from '../subjects/pi-sdk.ts'
import type { BusMessage } from '../subjects/table.ts'
import { createBlocks, createRun } from './gathered.ts'

/** Whose events they are. */
export interface AdapterIds {
  adapterId: string
  agentId: string
}

const adapters = {
  [PiSdkNamespace]: PiSdkSubjects,
  [ClaudeCliNamespace]: ClaudeCliSubjects,
  [DemoNamespace]: DemoSubjects,
}
/** A namespace that an agent’s events can be projected into. */
export type AdapterNamespace = keyof typeof adapters

type Names = (typeof adapters)[AdapterNamespace]
/** A message in an adapter’s namespace. */
export type AdapterMessage = Extract<BusMessage, { subject: Names[keyof Names] }>

/** What the projection of one session keeps in mind. */
export interface Context {
  ids: AdapterIds
  to: Names
  /** The text of blocks that stream. */
  blocks: ReturnType<typeof createBlocks>
  /** The messages of the run. */
  run: ReturnType<typeof createRun>
  /** Arguments of tools that were called and have not begun. */
  inputs: Map<string, { input: unknown; blob?: BlobRef | undefined }>
  /** The model that answers, where it was named. */
  model: string | undefined
}

/** A projection’s memory at the start of a session. */
export const createContext = (namespace: AdapterNamespace, ids: AdapterIds): Context => ({
  ids,
  to: adapters[namespace],
  blocks: createBlocks(),
  run: createRun(),
  inputs: new Map(),
  model: undefined,
})

/** A kind of event with its place in a session. */
export type Stamped<Type extends EventType> = EventOf<Type> & Envelope

/** What each kind of event becomes; one that is not here has no subject of its own. */
export type ProjectionTable = {
  [Type in EventType]?: (event: Stamped<Type>, context: Context) => AdapterMessage[]
}

/** Subagents and nested tools speak to whoever called them, not to the reader. */
export const isMain = ({ parentToolCallId }: { parentToolCallId?: string | undefined }): boolean =>
  parentToolCallId === undefined
