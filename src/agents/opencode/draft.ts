import type { Usage } from '../../events/types.ts'
import { defined, type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { createMessageDraft } from '../message-draft.ts'
import type { MessageFailure, TextKind } from '../open-message.ts'
import type { OpenCodeCall } from './tools.ts'

/** What is known of a message apart from its parts. */
export interface MessageInfo {
  isUser: boolean
  /** The message is the summary of a compaction. */
  isSummary: boolean
  model?: string
  provider?: string
}

/** How a draft ends. */
export interface DraftEnd {
  stopReason: string
  usage?: Usage | undefined
  errorMessage?: string
  errorDetails?: string
  timestamp?: number | undefined
}

/** An assistant message whose parts arrive. Its blocks are in the order of their first parts. */
export interface OpenCodeDraft {
  /** OpenCode’s id of the message. */
  readonly nativeId: string
  readonly messageId: string
  /** It is the summary of a compaction. */
  readonly isSummary: boolean
  /** Whether it has no parts yet. */
  isEmpty(): boolean
  /** A text or reasoning part: all of it so far, or complete if it has an end. */
  text(part: Fields, kind: TextKind): void
  /** More text of a part that has started. */
  delta(partId: string, delta: string): void
  /** A tool part, whose call this is. */
  tool(call: OpenCodeCall): void
  /** The text without reasoning and calls. */
  plainText(): string
  finish(end: DraftEnd, failure?: MessageFailure): void
}

export interface DraftOptions {
  nativeId: string
  messageId: string
  info: MessageInfo | undefined
  isSummary: boolean
  emit: Emit
}

export const createOpenCodeDraft = (options: DraftOptions): OpenCodeDraft => {
  const { nativeId, messageId, info, isSummary, emit } = options
  const draft = createMessageDraft(messageId, emit, info?.model)
  /** The parts of text that have started. */
  const kinds = new Map<string, TextKind>()
  /** Those that are complete: the first end counts. */
  const ended = new Set<string>()

  return {
    nativeId,
    messageId,
    isSummary,
    isEmpty: draft.isEmpty,
    text(part, kind) {
      const partId = stringOf(part.id) ?? ''
      const whole = stringOf(part.text) ?? ''
      const isComplete = fieldsOf(part.time).end !== undefined
      // A part of nothing but an empty text shows nothing.
      if (whole === '' && isComplete && !kinds.has(partId)) return
      if (!kinds.has(partId)) kinds.set(partId, kind)
      draft.start(kind, textName(partId))
      if (!isComplete || ended.has(partId)) return
      ended.add(partId)
      draft.complete(kind, textName(partId), whole)
    },
    delta(partId, delta) {
      const kind = kinds.get(partId)
      if (kind) draft.delta(kind, textName(partId), delta)
    },
    tool({ toolCallId, name, input, hasInput }) {
      if (hasInput) draft.endTool(toolCallId, name, input)
      else draft.startTool(toolCallId, name)
    },
    plainText: () =>
      draft
        .content()
        .flatMap((block) => (block.type === 'text' ? [stringOf(block.text) ?? ''] : []))
        .join('\n'),
    finish: ({ usage, ...end }, failure) =>
      draft.finish(defined({ provider: info?.provider, usage, nativeId, ...end }), failure),
  }
}

/** The name of the block of a text, which must not be that of a tool call. */
const textName = (partId: string): string => `text ${partId}`
