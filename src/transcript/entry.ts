import type {
  Message,
  SnapshotMessage,
  SnapshotNotice,
  SnapshotTool,
  ToolResultMessage,
} from '../events/types.ts'

/** One item of a conversation, at the position where it began. */
export type Entry = MessageEntry | ToolEntry | NoticeEntry

/** A message, complete or still streaming. */
export interface MessageEntry
  extends Readonly<
    Pick<
      SnapshotMessage,
      'messageId' | 'startedAt' | 'tokensBefore' | 'tokensAfter' | 'reason' | 'outOfContext'
    >
  > {
  readonly kind: 'message'
  /** While a tool call streams, its `arguments` are the JSON text received so far. */
  readonly message: Message
  /** True until the message ends. */
  readonly isStreaming: boolean
}

/** A tool call that runs or has run. An earlier message has a `toolCall` block of the same id. */
export interface ToolEntry extends Readonly<Omit<SnapshotTool, 'place'>> {
  readonly kind: 'tool'
  /** The result in the conversation. It replaces `output` and `shown`. */
  readonly result?: ToolResultMessage
}

/** A line for people that is not a message: an error, or a notice of the agent program. */
export interface NoticeEntry extends Readonly<Omit<SnapshotNotice, 'place'>> {
  readonly kind: 'notice'
}

/** True when no later event can change the entry. */
export const isOver = (entry: Entry): boolean => {
  if (entry.kind === 'message') return !entry.isStreaming
  return entry.kind === 'notice' || entry.status !== 'running'
}
