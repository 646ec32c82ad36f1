import type {
  AgentCommand,
  AgentEvent,
  BudgetUse,
  Compaction,
  ContextGauge,
  Envelope,
  EventType,
  ModeChoice,
  Queued,
  Retry,
  RunOutcome,
  SnapshotTask,
  Subagent,
  TodoItem,
  Totals,
  TurnState,
  WaitingApproval,
} from '../events/types.ts'
import type { Entry } from './entry.ts'
import { createList, type List } from './list.ts'

/** An event to apply to a transcript. Decoders emit events without an envelope; both are accepted. */
export type Incoming<Type extends EventType = EventType> = Extract<AgentEvent, { type: Type }> &
  Partial<Envelope>

/** The state of a session as a reader sees it. Immutable: applying an event returns a new one. */
export interface Transcript {
  readonly sessionId?: string
  /** The `seq` of the last applied event; 0 before the first. */
  readonly seq: number
  readonly agent?: string
  readonly model?: string
  readonly name?: string
  readonly cwd?: string
  /** How much the model may think, in the agent’s own term. */
  readonly thinkingLevel?: string
  /** What the agent may do without approval, in the agent’s own term. */
  readonly permissionMode?: string
  /** The permission modes and the thinking levels that the session can change to. */
  readonly modes?: readonly ModeChoice[]
  readonly thinkingLevels?: readonly string[]
  /** Whether the agent summarizes the conversation, and calls the model again, by itself. */
  readonly autoCompaction?: boolean
  readonly autoRetry?: boolean
  /** What a person can call by name in a prompt, as the agent lists it. */
  readonly commands?: readonly AgentCommand[]
  /** The agent’s to-do list. Absent before there is one; empty if it was cleared. */
  readonly todos?: readonly TodoItem[]
  /** What the agent program reports it is doing. Cleared when the run ends. */
  readonly status?: string
  /** True while a run is open. */
  readonly isStreaming: boolean
  readonly turnState: TurnState
  /** How the last run ended; null before the first end and while a run is open. */
  readonly outcome: RunOutcome | null
  /** How many entries were left out at the beginning, because the conversation is too long. */
  readonly omitted: number
  /** The main conversation, then one thread for each tool call that has events inside it. */
  readonly threads: List<Thread>
  /** The index in `threads` of each tool call’s thread, by tool call id. */
  readonly threadOf: ReadonlyMap<string, number>
  /** The positions of the running tools, by tool call id. */
  readonly running: ReadonlyMap<string, EntryPosition>
  /** Pending approvals, oldest first. */
  readonly approvals: readonly WaitingApproval[]
  readonly queued: Queued
  readonly retry: Retry | null
  readonly compaction: Compaction | null
  /** Usage of the whole session; null until the first `usage_update`. */
  readonly totals: Totals | null
  readonly byModel: Readonly<Record<string, Totals>>
  readonly context: ContextGauge | null
  /** Limits that are nearly used or reached. */
  readonly budgets: readonly BudgetUse[]
  /** The latest tasks of the agent, oldest first. */
  readonly tasks: readonly SnapshotTask[]
  /** Ids of the tasks that run in the background. */
  readonly backgroundTasks: readonly string[]
}

/** One conversation: the main one, or the events inside one tool call. */
export interface Thread {
  /** The tool call; null for the main conversation. */
  readonly toolCallId: string | null
  /** The subagent that the call started; null if it started none. */
  readonly subagent: Subagent | null
  /** In reading order: each entry stays where it began. */
  readonly entries: List<Entry>
  /** The index of the message that is streaming; null when none is. */
  readonly open: number | null
}

/** The position of an entry: the index of its thread, and its index in that thread. */
export interface EntryPosition {
  readonly thread: number
  readonly index: number
}

const mainThread: Thread = { toolCallId: null, subagent: null, entries: createList(), open: null }

/** A transcript without events. */
export const emptyTranscript = (sessionId?: string): Transcript => ({
  ...(sessionId !== undefined && { sessionId }),
  seq: 0,
  isStreaming: false,
  turnState: 'idle',
  outcome: null,
  omitted: 0,
  threads: createList([mainThread]),
  threadOf: new Map(),
  running: new Map(),
  approvals: [],
  queued: { steering: [], followUp: [] },
  retry: null,
  compaction: null,
  totals: null,
  byModel: {},
  context: null,
  budgets: [],
  tasks: [],
  backgroundTasks: [],
})
