import type { Block, Message, Usage } from '../../events/types.ts'
import { defined, type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { createOpenMessage, type OpenMessage, type TextKind } from '../open-message.ts'
import type { Outcome, Run } from './run.ts'
import { contentBlock } from './wire.ts'

/**
 * The messages of the model. Only some agents give them ids: elsewhere a message ends at a call that
 * starts, or with the prompt.
 */
export interface Messages {
  /** A chunk of text or of a thought. */
  chunk(kind: TextKind, update: Fields): void
  /** Opens a message, unless one is open: the model makes a call. */
  ensure(): void
  /** A call of the open message starts, which ends the message. */
  call(toolCallId: string, name: string, input: unknown): void
  /** The usage of the open message’s model call. False if no message is open. */
  usage(usage: Usage): boolean
  /** Ends the open message. */
  end(outcome: Outcome): void
  /** The text of the last chunk, if nothing came after it. */
  lastChunk(): string | undefined
}

interface Draft {
  open: OpenMessage
  nativeId: string | undefined
  model: string | undefined
  index: number
  kind: TextKind | undefined
  /** Blocks that are not streamed, by their index. */
  others: Map<number, Block>
  usage: Usage | undefined
}

export interface MessagesOptions {
  scope: string
  emit: Emit
  run: Run
  model(): string | undefined
  /** Whether calls run: then a message belongs to their turn. */
  areToolsRunning(): boolean
}

export const createMessages = (options: MessagesOptions): Messages => {
  const { scope, emit, run } = options
  let count = 0
  let draft: Draft | undefined
  let lastChunk: string | undefined

  const begin = (nativeId?: string): Draft => {
    if (options.areToolsRunning()) run.ensureTurn()
    else run.startTurn()
    count += 1
    const id = `${scope}m${count}`
    const model = options.model()
    emit({
      type: 'message_start',
      messageRole: 'assistant',
      messageId: id,
      ...defined({ model }),
    })
    draft = {
      ...{ open: createOpenMessage(id, emit), nativeId, model, index: -1 },
      ...{ kind: undefined, others: new Map<number, Block>(), usage: undefined },
    }
    return draft
  }

  const end = ({ stopReason, errorMessage }: Outcome) => {
    if (!draft) return
    const { open, nativeId, model, usage } = draft
    const message: Message = {
      role: 'assistant',
      content: contentOf(draft),
      stopReason,
      ...defined({ model, usage, nativeId, errorMessage }),
    }
    draft = undefined
    run.note(stopReason, usage)
    const isFailed = stopReason === 'error' || stopReason === 'aborted'
    open.finish(
      message,
      isFailed ? { reason: stopReason, ...defined({ errorMessage }) } : undefined,
    )
  }

  const draftFor = (nativeId: string | undefined): Draft => {
    const isOther = nativeId !== undefined && draft?.nativeId !== nativeId
    if (isOther && draft?.nativeId !== undefined) end({ stopReason: 'stop' })
    const found = draft ?? begin(nativeId)
    found.nativeId ??= nativeId
    return found
  }

  return {
    chunk(kind, update) {
      const [block] = contentBlock(update.content)
      if (!block) return
      const found = draftFor(stringOf(update.messageId))
      const text = block.type === 'text' ? stringOf(fieldsOf(block).text) : undefined
      if (text === undefined) found.others.set(nextBlock(found, undefined), block)
      else if (text !== '') addText(found, kind, text)
      lastChunk = kind === 'text' ? text : undefined
    },
    ensure() {
      if (!draft) begin()
    },
    call(toolCallId, name, input) {
      const found = draft ?? begin()
      found.open.endTool(nextBlock(found, undefined), toolCallId, name, input)
      lastChunk = undefined
      end({ stopReason: 'toolUse' })
    },
    usage(usage) {
      if (!draft) return false
      draft.usage = usage
      draft.open.usage(usage)
      return true
    },
    end(outcome) {
      end(outcome)
      lastChunk = undefined
    },
    lastChunk: () => lastChunk,
  }
}

const addText = (draft: Draft, kind: TextKind, text: string) => {
  const index = draft.kind === kind ? draft.index : nextBlock(draft, kind)
  draft.open.delta(index, kind, text)
}

/** Ends the last block, and returns the index of the next one. */
const nextBlock = (draft: Draft, kind: TextKind | undefined): number => {
  draft.open.end(draft.index)
  draft.kind = kind
  draft.index += 1
  return draft.index
}

/** The content, with the blocks that were not streamed between the others. */
const contentOf = ({ open, others, index }: Draft): Block[] => {
  const streamed = open.content()
  if (others.size === 0) return streamed
  return Array.from({ length: index + 1 }, (_, at) => others.get(at) ?? streamed.shift()).flatMap(
    (block) => block ?? [],
  )
}
