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
  /** A message is about to start. */
  onStart(): void
  model(): string | undefined
  /** Whether calls run: then a message belongs to their turn. */
  areToolsRunning(): boolean
}

interface State extends MessagesOptions {
  count: number
  draft: Draft | undefined
  lastChunk: string | undefined
}

export const createMessages = (options: MessagesOptions): Messages => {
  const state: State = { ...options, count: 0, draft: undefined, lastChunk: undefined }
  return {
    chunk(kind, update) {
      const [block] = contentBlock(update.content)
      if (!block) return
      const found = draftFor(state, stringOf(update.messageId))
      const text = block.type === 'text' ? stringOf(fieldsOf(block).text) : undefined
      if (text === undefined) found.others.set(nextBlock(found, undefined), block)
      else if (text !== '') addText(found, kind, text)
      state.lastChunk = kind === 'text' ? text : undefined
    },
    ensure() {
      if (!state.draft) begin(state)
    },
    call(toolCallId, name, input) {
      const found = state.draft ?? begin(state)
      found.open.endTool(nextBlock(found, undefined), toolCallId, name, input)
      end(state, { stopReason: 'toolUse' })
    },
    usage(usage) {
      if (!state.draft) return false
      state.draft.usage = usage
      state.draft.open.usage(usage)
      return true
    },
    end: (outcome) => end(state, outcome),
    lastChunk: () => state.lastChunk,
  }
}

const begin = (state: State, nativeId?: string): Draft => {
  const { scope, emit, run } = state
  state.onStart()
  if (state.areToolsRunning()) run.ensureTurn()
  else run.startTurn()
  state.count += 1
  const id = `${scope}m${state.count}`
  const model = state.model()
  emit({ type: 'message_start', messageRole: 'assistant', messageId: id, ...defined({ model }) })
  const draft: Draft = {
    ...{ open: createOpenMessage(id, emit), nativeId, model, index: -1 },
    ...{ kind: undefined, others: new Map<number, Block>(), usage: undefined },
  }
  state.draft = draft
  return draft
}

const end = (state: State, { stopReason, errorMessage }: Outcome) => {
  state.lastChunk = undefined
  const { draft } = state
  if (!draft) return
  state.draft = undefined
  const { open, nativeId, model, usage } = draft
  const message: Message = {
    role: 'assistant',
    content: contentOf(draft),
    stopReason,
    ...defined({ model, usage, nativeId, errorMessage }),
  }
  state.run.note(stopReason, usage)
  const isFailed = stopReason === 'error' || stopReason === 'aborted'
  open.finish(message, isFailed ? { reason: stopReason, ...defined({ errorMessage }) } : undefined)
}

/** The message of a chunk. Another id is another message. */
const draftFor = (state: State, nativeId: string | undefined): Draft => {
  const before = state.draft?.nativeId
  if (nativeId !== undefined && before !== undefined && before !== nativeId)
    end(state, { stopReason: 'stop' })
  const found = state.draft ?? begin(state, nativeId)
  found.nativeId ??= nativeId
  return found
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
