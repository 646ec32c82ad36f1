import type { ConnectionEvent, Message, ToolResultMessage, Totals } from '../events/types.ts'
import type { MessageEntry, NoticeEntry, ToolEntry } from './entry.ts'
import type {
  Compaction,
  Retry,
  RunOutcome,
  Subagent,
  Task,
  WaitingApproval,
} from './transcript.ts'

type Base = Extract<ConnectionEvent, { type: 'snapshot' }>

/** The whole state of a session as one event: a transcript in the words of the wire. */
export interface Snapshot
  extends Omit<Base, keyof Conversation | 'retry' | 'compaction' | 'approvals'>,
    Conversation {
  retry?: Retry
  compaction?: Compaction
  approvals?: WaitingApproval[]
  cwd?: string
  /** How the last run ended. */
  outcome?: RunOutcome
  byModel?: Record<string, Totals>
  /** What happened inside calls. */
  threads?: SnapshotThread[]
  tasks?: Task[]
  backgroundTasks?: string[]
}

/** What was said in one thread, and what is still in flight there. */
export interface Conversation {
  messages: (SnapshotMessage | SnapshotResult)[]
  partial?: Placed<SnapshotMessage>
  /** The tools that have given no result: those that run, and those that were cut short. */
  tools?: Placed<Omit<ToolEntry, 'kind' | 'result'>>[]
  notices?: Placed<Omit<NoticeEntry, 'kind'>>[]
}

/** What happened inside a call. */
export interface SnapshotThread extends Conversation {
  toolCallId: string
  subagent?: Subagent
}

/** What is not among the messages says where it stands among all entries of its thread, from 0. */
export type Placed<What> = What & { place: number }

/** A message, with what its entry knows besides. */
export type SnapshotMessage = Message & Omit<MessageEntry, 'kind' | 'message' | 'isStreaming'>

/** A tool’s result, with what its entry knows besides; `args` only where the call has others. */
export type SnapshotResult = ToolResultMessage &
  Pick<
    ToolEntry,
    'args' | 'argsBlob' | 'exitCode' | 'durationMs' | 'startedAt' | 'endedAt' | 'decision'
  >
