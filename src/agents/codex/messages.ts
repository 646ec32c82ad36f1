import type { Block, Usage } from '../../events/types.ts'
import { countOf, defined, type Fields, stringOf, stringsOf } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import type { TextKind } from '../open-message.ts'
import { createDraft, type Draft, type MessageEnding } from './draft.ts'
import type { Run } from './run.ts'
import type { CodexCall } from './wire.ts'

/**
 * Codex’s messages. An item is one part of a message: the reasoning, the text, a tool call. They become
 * one message, until something else happens: a tool prints or ends, or the model call is over.
 */
export interface Messages {
  /** An item of text has started. Reasoning starts with its first text: it may stay empty. */
  start(item: Fields): void
  /** An item grows. `part` is the part of the reasoning. */
  delta(itemId: string, kind: TextKind, delta: string, part?: string): void
  /** An item is complete. */
  complete(item: Fields, kind: TextKind): void
  /** The model calls a tool. */
  call(call: CodexCall): void
  /** A message of the user. */
  user(item: Fields, content: Block[]): void
  /** Ends the message that is open. */
  close(ending?: MessageEnding): void
  /** The model call is made again: withdraws what it wrote. */
  withdraw(): void
  /** What the model wrote so far stays: a tool has run, or the call is over. */
  settle(usage?: Usage): void
}

export interface MessagesOptions {
  /** Prefix of the ids of the messages. */
  scope: string
  emit: Emit
  run: Run
  /** The model that writes; undefined if the stream does not name it. */
  model(): string | undefined
}

export const createMessages = ({ scope, emit, run, model }: MessagesOptions): Messages => {
  let count = 0
  let draft: Draft | undefined
  /** The messages of the model call that is under way. */
  let written: string[] = []

  const close = (ending?: MessageEnding) => {
    draft?.finish(ending)
    draft = undefined
  }

  /** The message that an item belongs to. After a text or a call, a text is a message of its own. */
  const draftFor = (itemId: string): Draft => {
    if (draft && (draft.hasText() || draft.hasCalls()) && !draft.has(itemId)) close()
    return draft ?? begin()
  }

  const begin = (): Draft => {
    run.act()
    draft = createDraft(`${scope}m${++count}`, emit, model())
    written.push(draft.id)
    return draft
  }

  return {
    start(item) {
      const itemId = stringOf(item.id) ?? ''
      const now = draftFor(itemId)
      now.stamp(countOf(item.startedAtMs))
      now.start({ itemId, kind: 'text', name: onlyPart })
    },
    delta: (itemId, kind, delta, name = onlyPart) =>
      draftFor(itemId).delta({ itemId, kind, name }, delta),
    complete(item, kind) {
      const itemId = stringOf(item.id) ?? ''
      for (const [name, whole] of partsOf(item, kind)) {
        if (whole === '' && !draft?.has(itemId)) continue
        const now = draftFor(itemId)
        now.stamp(countOf(item.startedAtMs))
        now.complete({ itemId, kind, name }, whole)
      }
    },
    call: (call) => (draft ?? begin()).call(call),
    user(item, content) {
      close()
      run.ensure()
      // The id that Sluice gave the message, if Sluice sent it.
      const messageId = stringOf(item.clientId) ?? `${scope}m${++count}`
      emit({ type: 'message_start', messageRole: 'user', messageId })
      const details = { nativeId: stringOf(item.id), timestamp: countOf(item.startedAtMs) }
      const message = { role: 'user' as const, content, ...defined(details) }
      emit({ type: 'message_end', messageId, message })
    },
    close,
    withdraw() {
      // A tool that was called has run.
      if (draft?.hasCalls()) return this.settle()
      close({ failure: { reason: 'abandoned' } })
      for (const messageId of written)
        emit({ type: 'message_withdrawn', messageId, reason: 'retried' })
      written = []
    },
    settle(usage) {
      close(defined({ usage }))
      written = []
    },
  }
}

const onlyPart = '0'

/** The parts of a complete item: its text, or each summary of the reasoning. */
const partsOf = (item: Fields, kind: TextKind): [name: string, whole: string][] => {
  const text = stringOf(item.text)
  if (kind === 'text' || text !== undefined) return [[onlyPart, text ?? '']]
  return [
    ...stringsOf(item.summary).map((whole, index): [string, string] => [String(index), whole]),
    ...stringsOf(item.content).map((whole, index): [string, string] => [rawPart(index), whole]),
  ]
}

/** A part of the reasoning itself, beside the summaries of it. */
export const rawPart = (index: number): string => `raw ${index}`
