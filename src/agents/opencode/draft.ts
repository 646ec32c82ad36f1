import type { Block, Message, Usage } from '../../events/types.ts'
import { defined, type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { createOpenMessage, type MessageFailure, type TextKind } from '../open-message.ts'
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
  /** More text of a part. False if the part is unknown. */
  delta(partId: string, delta: string): boolean
  /** A tool part, whose call this is. */
  tool(part: Fields, call: OpenCodeCall): void
  /** The text without reasoning and calls. */
  plainText(): string
  finish(end: DraftEnd, failure?: MessageFailure): Message
}

interface DraftBlock {
  readonly index: number
  kind: TextKind | 'tool'
  /** The text of a part that is complete. */
  whole: string | undefined
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
  const open = createOpenMessage(messageId, emit)
  const blocks = new Map<string, DraftBlock>()
  const blockOf = (partId: string, kind: DraftBlock['kind']): DraftBlock => {
    const found = blocks.get(partId)
    if (found) return found
    const block = { index: blocks.size, kind, whole: undefined }
    blocks.set(partId, block)
    return block
  }

  /** What was streamed, with the complete texts in place of their deltas. */
  const content = (): Block[] => {
    const wholes = new Map([...blocks.values()].map(({ index, whole }) => [index, whole]))
    return open.content().map((block, index) => withText(block, wholes.get(index)))
  }

  return {
    nativeId,
    messageId,
    isSummary,
    isEmpty: () => blocks.size === 0,
    text(part, kind) {
      const whole = stringOf(part.text) ?? ''
      const isComplete = fieldsOf(part.time).end !== undefined
      // A part of nothing but an empty text shows nothing.
      if (whole === '' && isComplete && !blocks.has(partIdOf(part))) return
      const block = blockOf(partIdOf(part), kind)
      open.start(block.index, kind)
      if (!isComplete || block.whole !== undefined) return
      block.whole = whole
      open.complete(block.index, kind, whole)
    },
    delta(partId, delta) {
      const block = blocks.get(partId)
      if (!block || block.kind === 'tool') return false
      open.delta(block.index, block.kind, delta)
      return true
    },
    tool(part, { toolCallId, name, input, hasInput }) {
      const { index } = blockOf(partIdOf(part), 'tool')
      if (!hasInput) open.startTool(index, toolCallId, name)
      else open.endTool(index, toolCallId, name, input)
    },
    plainText: () =>
      content()
        .flatMap((block) => (block.type === 'text' ? [stringOf(block.text) ?? ''] : []))
        .join('\n'),
    finish({ usage, ...end }, failure) {
      const message: Message = {
        role: 'assistant',
        content: content(),
        ...defined({ model: info?.model, provider: info?.provider, usage, nativeId }),
        ...defined(end),
      }
      open.finish(message, failure)
      return message
    },
  }
}

const partIdOf = (part: Fields): string => stringOf(part.id) ?? ''

const withText = (block: Block, whole: string | undefined): Block => {
  if (whole === undefined) return block
  if (block.type === 'text') return { type: 'text', text: whole }
  return block.type === 'thinking' ? { type: 'thinking', thinking: whole } : block
}
