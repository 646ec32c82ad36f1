import type { Block, Message, Usage } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { createOpenMessage, type MessageFailure, type OpenMessage } from '../open-message.ts'
import type { PlainRun } from '../plain-run.ts'

/**
 * The messages of Gemini CLI. It prints no borders: a message goes on until the first result of the
 * tools that it called, or until the run ends.
 */
export interface GeminiMessages {
  user(content: Block[], timestamp: number | undefined, nativeId?: string): void
  text(delta: string, timestamp: number | undefined): void
  call(call: GeminiCall, timestamp: number | undefined): void
  /** An answer of a session file, or what is new of it: each is a message of its own. */
  record(answer: RecordedAnswer, timestamp: number | undefined): void
  /** Ends the message that is open, if any. */
  finish(failure?: MessageFailure): void
}

export interface GeminiCall {
  toolCallId: string
  toolName: string
  input: unknown
}

export interface RecordedAnswer {
  nativeId: string
  text: string
  thoughts?: string
  usage?: Usage
}

export interface GeminiMessagesOptions {
  scope: string
  emit: Emit
  run: PlainRun
  model(): string | undefined
}

interface Draft {
  open: OpenMessage
  model: string | undefined
  timestamp: number | undefined
  /** Index of the text block that grows; undefined after a call. */
  textAt: number | undefined
  blocks: number
  hasCalls: boolean
  nativeId?: string
  usage?: Usage
}

export const createGeminiMessages = (options: GeminiMessagesOptions): GeminiMessages => {
  const { scope, emit, run } = options
  let count = 0
  let draft: Draft | undefined

  const newId = () => {
    count += 1
    return `${scope}m${count}`
  }

  const begin = (timestamp: number | undefined): Draft => {
    run.startTurn()
    const model = options.model()
    const messageId = newId()
    emit({ type: 'message_start', messageRole: 'assistant', messageId, ...defined({ model }) })
    const open = createOpenMessage(messageId, emit)
    return { open, model, timestamp, textAt: undefined, blocks: 0, hasCalls: false }
  }

  const finish = (failure?: MessageFailure) => {
    if (!draft) return
    const { open, model, timestamp, hasCalls, nativeId, usage } = draft
    draft = undefined
    const stopReason = failure?.reason ?? (hasCalls ? 'toolUse' : undefined)
    const { errorMessage } = failure ?? {}
    const details = defined({ model, usage, nativeId, stopReason, errorMessage, timestamp })
    const message: Message = { role: 'assistant', content: open.content(), ...details }
    open.finish(message, failure)
    run.stopTurn(stopReason, usage)
  }

  const text = (open: Draft, delta: string) => {
    open.textAt ??= open.blocks++
    open.open.delta(open.textAt, 'text', delta)
  }

  return {
    finish,
    user(content, timestamp, nativeId) {
      finish()
      run.act()
      const messageId = newId()
      emit({ type: 'message_start', messageRole: 'user', messageId })
      const message: Message = { role: 'user', content, ...defined({ nativeId, timestamp }) }
      emit({ type: 'message_end', messageId, message })
    },
    text(delta, timestamp) {
      draft ??= begin(timestamp)
      text(draft, delta)
    },
    record({ nativeId, text: delta, thoughts, usage }, timestamp) {
      if (draft && draft.nativeId !== nativeId) finish()
      draft ??= begin(timestamp)
      draft.nativeId = nativeId
      if (thoughts !== undefined) draft.open.complete(draft.blocks++, 'thinking', thoughts)
      if (delta !== '') text(draft, delta)
      if (!usage) return
      draft.usage = usage
      draft.open.usage(usage)
    },
    call({ toolCallId, toolName, input }, timestamp) {
      draft ??= begin(timestamp)
      if (draft.textAt !== undefined) draft.open.end(draft.textAt)
      draft.textAt = undefined
      draft.hasCalls = true
      draft.open.endTool(draft.blocks++, toolCallId, toolName, input)
    },
  }
}
