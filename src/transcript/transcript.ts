import type {
  AgentEvent,
  ContextGauge,
  Envelope,
  EventOf,
  EventType,
  Queued,
  Totals,
  TurnState,
  Usage,
} from '../events/types.ts'
import type { Entry } from './entry.ts'
import { type List, listOf } from './list.ts'

/** An event as it reaches a transcript: stamped or not. */
export type Incoming<Type extends EventType = EventType> = Extract<AgentEvent, { type: Type }> &
  Partial<Envelope>

/** What a reader of a session sees. Never changed: each event gives a new one. */
export interface Transcript {
  readonly sessionId?: string
  /** The last event that it holds; 0 before the first. */
  readonly seq: number
  readonly agent?: string
  readonly model?: string
  readonly name?: string
  readonly cwd?: string
  /** How much the model may think, in the agent’s own word. */
  readonly thinkingLevel?: string
  /** What the agent program says it is doing, until its run is over. */
  readonly status?: string
  /** A run is open. */
  readonly isStreaming: boolean
  readonly turnState: TurnState
  /** How the last run ended; null while none has, and while one is open. */
  readonly outcome: RunOutcome | null
  /** The main conversation, then one for each call that others happened inside. */
  readonly threads: List<Thread>
  /** Where the thread of a call is. */
  readonly threadOf: ReadonlyMap<string, number>
  /** Where the tools that run are, by call. */
  readonly running: ReadonlyMap<string, EntryPosition>
  /** What waits for a person, oldest first. */
  readonly approvals: readonly WaitingApproval[]
  readonly queued: Queued
  readonly retry: Retry | null
  readonly compaction: Compaction | null
  /** The account so far; null until it is told. */
  readonly totals: Totals | null
  readonly byModel: Readonly<Record<string, Totals>>
  readonly context: ContextGauge | null
  /** The latest tasks of the agent, oldest first. */
  readonly tasks: readonly Task[]
  /** Ids of what runs in the background. */
  readonly backgroundTasks: readonly string[]
}

/** A conversation: the main one, or what happened inside a call. */
export interface Thread {
  /** The call; null for the main conversation. */
  readonly toolCallId: string | null
  /** The agent that the call started, if it did. */
  readonly subagent: Subagent | null
  /** In reading order: everything stands where it began. */
  readonly entries: List<Entry>
  /** Where the message in flight is. */
  readonly open: number | null
}

/** An agent that a tool call started. */
export interface Subagent {
  readonly kind?: string
  readonly description?: string
  readonly prompt?: string
  readonly isRunning: boolean
  readonly isError?: boolean
  readonly usage?: Usage
}

/** Where an entry is. */
export interface EntryPosition {
  readonly thread: number
  readonly index: number
}

type Said<Type extends EventType> = Omit<EventOf<Type>, 'type' | 'parentToolCallId'>

/** Fields of a question that waits for a person. */
export type WaitingApproval = Omit<EventOf<'approval_request'>, 'type'>

/** A retry that is under way, and when Sluice took it in. */
export type Retry = Said<'auto_retry_start'> & { readonly startedAt?: number }

/** A compaction that is under way, and when Sluice took it in. */
export type Compaction = Said<'compaction_start'> & { readonly startedAt?: number }

/** How a run ended. */
export type RunOutcome = Said<'agent_end'>

/** A task of the agent, as it was last told. */
export type Task = NonNullable<EventOf<'session_update'>['task']>

const mainThread: Thread = { toolCallId: null, subagent: null, entries: listOf(), open: null }

/** A transcript in which nothing has happened yet. */
export const emptyTranscript = (sessionId?: string): Transcript => ({
  ...(sessionId !== undefined && { sessionId }),
  seq: 0,
  isStreaming: false,
  turnState: 'idle',
  outcome: null,
  ...emptyConversation(),
  approvals: [],
  queued: { steering: [], followUp: [] },
  retry: null,
  compaction: null,
  totals: null,
  byModel: {},
  context: null,
  tasks: [],
  backgroundTasks: [],
})

/** No messages, no tools. */
export const emptyConversation = (): Pick<Transcript, 'threads' | 'threadOf' | 'running'> => ({
  threads: listOf([mainThread]),
  threadOf: new Map(),
  running: new Map(),
})
