import type { Usage } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { createMessageDraft } from '../message-draft.ts'
import type { MessageFailure, TextKind } from '../open-message.ts'
import type { CodexCall } from './wire.ts'

/** An assistant message that may still grow. Its blocks are parts of items, in the order of their start. */
export interface Draft {
  readonly id: string
  /** Whether a part of the item is in the message. */
  has(itemId: string): boolean
  /** Whether the message has its text, so that the next text is another message. */
  hasText(): boolean
  start(part: ItemPart): void
  delta(part: ItemPart, delta: string): void
  /** Ends a part, whose whole text this is. */
  complete(part: ItemPart, whole: string): void
  /** Adds a tool call. */
  call(call: CodexCall): void
  /** Whether the message has a tool call, so that a text after it is another message. */
  hasCalls(): boolean
  /** Notes when an item started: the first one counts. */
  stamp(timestamp: number | undefined): void
  finish(ending?: MessageEnding): void
}

/** How a message ended; as usual if both are absent. */
export interface MessageEnding {
  failure?: MessageFailure
  /** Usage of the model call. */
  usage?: Usage
}

/** A part of an item: its text, or one summary of the reasoning. */
export interface ItemPart {
  itemId: string
  kind: TextKind
  name: string
}

export const createDraft = (id: string, emit: Emit, model: string | undefined): Draft => {
  const draft = createMessageDraft(id, emit, model)
  const items = new Set<string>()
  let calls = 0
  let nativeId: string | undefined
  let startedAt: number | undefined

  const nameOf = ({ itemId, kind, name }: ItemPart): string => {
    items.add(itemId)
    if (kind === 'text') nativeId = itemId
    return `${itemId} ${name}`
  }

  return {
    id,
    has: (itemId) => items.has(itemId),
    hasText: () => nativeId !== undefined,
    start: (part) => draft.start(part.kind, nameOf(part)),
    delta: (part, delta) => draft.delta(part.kind, nameOf(part), delta),
    complete: (part, whole) => draft.complete(part.kind, nameOf(part), whole),
    call({ id: toolCallId, toolName, input }) {
      calls += 1
      draft.endTool(toolCallId, toolName, input)
    },
    hasCalls: () => calls > 0,
    stamp(timestamp) {
      startedAt ??= timestamp
    },
    finish({ failure, usage } = {}) {
      const stopReason = failure?.reason ?? (calls > 0 ? 'toolUse' : 'stop')
      draft.finish(defined({ usage, nativeId, timestamp: startedAt, stopReason }), failure)
    },
  }
}
