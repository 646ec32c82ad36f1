import type { BlobRef, EventOf, Message, ToolResultMessage } from '../events/types.ts'

/** One thing in a conversation, at the place where it began. */
export type Entry = MessageEntry | ToolEntry | NoticeEntry

/** A message, as far as it has come. */
export interface MessageEntry {
  readonly kind: 'message'
  readonly messageId: string
  /** While a tool call streams, its `arguments` are their JSON text so far. */
  readonly message: Message
  /** It has not ended yet. */
  readonly isStreaming: boolean
  /** When Sluice took its start in, ms since 1970. */
  readonly startedAt?: number
  /** How full the context was before and after; of a `compactionSummary` only. */
  readonly tokensBefore?: number
  readonly tokensAfter?: number
}

/** A tool at work, or what came of it. A `toolCall` block of a message before it has its id. */
export interface ToolEntry {
  readonly kind: 'tool'
  readonly toolCallId: string
  readonly toolName: string
  readonly status: ToolStatus
  /** The arguments that it runs with. */
  readonly args?: unknown
  /** The whole arguments, where `args` is only their beginning. */
  readonly argsBlob?: BlobRef
  /** The end of what it printed; a result takes its place. */
  readonly output: string
  /** How many characters of the output before that are not kept. */
  readonly dropped: number
  /** The latest pieces of output that `output` has only the beginning of, oldest first. */
  readonly outputBlobs?: BlobRef[]
  /** The agent itself left out some of the output. */
  readonly gap?: true
  /** What it gave, as the agent shows it; a result takes its place. */
  readonly shown?: unknown
  /** The whole of it, where `shown` is only its beginning. */
  readonly shownBlob?: BlobRef
  readonly result?: ToolResultMessage
  readonly exitCode?: number
  readonly isError?: boolean
  /** By the agent’s own clock. */
  readonly durationMs?: number
  /** When Sluice took its start and its end in, ms since 1970. */
  readonly startedAt?: number
  readonly endedAt?: number
  /** Who let it run, or did not. */
  readonly decision?: DecisionNote
}

/** How a tool stands. `interrupted` is one that never gave a result. */
export type ToolStatus = 'running' | 'done' | 'failed' | 'interrupted'

/** How an approval was decided. */
export type DecisionNote = Pick<
  EventOf<'approval_resolved'>,
  'action' | 'outcome' | 'by' | 'message'
>

/** A remark for people that is no message: an error, a warning of the agent program. */
export interface NoticeEntry {
  readonly kind: 'notice'
  /** In the agent’s own word: info, warning, error. */
  readonly level: string
  readonly text: string
  readonly code?: EventOf<'error'>['code']
  /** The session could not go on. */
  readonly fatal?: boolean
  readonly startedAt?: number
}

/** Whether nothing more will happen to it. */
export const isOver = (entry: Entry): boolean => {
  if (entry.kind === 'message') return !entry.isStreaming
  return entry.kind === 'notice' || entry.status !== 'running'
}
