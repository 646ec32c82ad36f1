import type { Message, Usage } from '../../events/types.ts'
import { contextTokens } from '../../events/usage-sums.ts'
import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  listOf,
  stringOf,
  stringsOf,
} from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { createOpenMessage, type MessageFailure, type OpenMessage } from '../open-message.ts'
import type { Run } from './run.ts'
import { createToolCalls, type ToolCalls } from './tool-calls.ts'
import type { Tools } from './tools.ts'
import { isAbortText, messageOf, roleOf, usageOf } from './wire.ts'

/** Pi’s messages: the assistant’s while it streams, and those of all roles when complete. */
export interface Messages {
  /** A `message_start` line. */
  start(message: Fields): void
  /** A `message_update` line. */
  update(line: Fields): void
  /** A `message_end` line. */
  end(message: Fields): void
  /** The failed attempt will be retried: withdraws its message. */
  withdrawFailed(): void
  /** Ends the messages that are open. */
  close(): void
}

interface State {
  readonly emit: Emit
  readonly run: Run
  newId(): string
  model: string | undefined
  /** The usage object of the last update. A shortcut passes on the same object again. */
  lastUsage: unknown
  /** The usage at the start of a message. Older versions report no more until the message ends. */
  startUsage: Usage | undefined
  /** The assistant message in flight, and its tool calls. */
  open: OpenMessage | undefined
  calls: ToolCalls
  /** Id of a message of another role that has started and not ended. */
  other: string | undefined
  /** Id of the last assistant message, if it failed. */
  failed: string | undefined
}

export const createMessages = (
  scope: string,
  emit: Emit,
  run: Run,
  tools: Pick<Tools, 'result'>,
): Messages => {
  let count = 0
  const state: State = {
    emit,
    run,
    newId: () => `${scope}m${++count}`,
    model: undefined,
    lastUsage: undefined,
    startUsage: undefined,
    open: undefined,
    calls: createToolCalls(undefined),
    other: undefined,
    failed: undefined,
  }

  return {
    start(message) {
      if (message.stopReason === 'pending' || message.role === 'system') run.promiseSettled()
      if (message.role === 'toolResult') return
      if (message.role === 'assistant') state.open = begin(state, message)
      else state.other = startOther(state, message)
    },
    update: (line) => update(state, line),
    end(message) {
      if (message.role === 'toolResult') {
        run.ensure()
        tools.result(message)
      } else if (message.role === 'assistant') finish(state, message)
      else endOther(state, message)
    },
    withdrawFailed() {
      if (state.failed === undefined) return
      emit({ type: 'message_withdrawn', messageId: state.failed, reason: 'retried' })
      state.failed = undefined
    },
    close: () => closeOpen(state),
  }
}

const begin = (state: State, message: Fields): OpenMessage => {
  const { emit, run } = state
  run.ensure()
  closeOpen(state)
  state.failed = undefined
  state.lastUsage = undefined
  const model = stringOf(message.model)
  if (model !== undefined && model !== state.model) {
    state.model = model
    emit({ type: 'session_update', model })
  }
  state.calls = createToolCalls(message.content)
  const messageId = state.newId()
  emit({ type: 'message_start', messageRole: 'assistant', messageId, ...defined({ model }) })
  const usage = usageOf(message.usage)
  state.startUsage = usage && contextTokens(usage) > 0 ? usage : undefined
  return createOpenMessage(messageId, emit)
}

const update = (state: State, line: Fields) => {
  state.open ??= begin(state, fieldsOf(line.message))
  if (!grow(state.open, state.calls, fieldsOf(line.assistantMessageEvent)))
    state.emit({ type: 'raw', agent: 'pi', line })
  if (line.usage !== undefined && line.usage !== state.lastUsage) noteUsage(state, state.open, line)
}

/** Only versions that send `agent_settled` report the usage of every update. */
const noteUsage = (state: State, open: OpenMessage, { usage: value }: Fields) => {
  state.run.promiseSettled()
  state.lastUsage = value
  const usage = usageOf(value)
  if (usage) open.usage(usage)
}

/** Applies an update. False if its type is unknown. */
const grow = (message: OpenMessage, calls: ToolCalls, event: Fields): boolean => {
  const index = countOf(event.contentIndex) ?? 0
  switch (event.type) {
    case 'text_delta':
      message.delta(index, 'text', stringOf(event.delta) ?? '')
      return true
    case 'thinking_delta':
      message.delta(index, 'thinking', stringOf(event.delta) ?? '')
      return true
    case 'toolcall_delta':
      calls.delta(message, index, stringOf(event.delta) ?? '')
      return true
    case 'text_start':
      message.start(index, 'text')
      return true
    case 'thinking_start':
      message.start(index, 'thinking')
      return true
    case 'toolcall_start':
      calls.start(message, index, event)
      return true
    case 'text_end':
      message.complete(index, 'text', stringOf(event.content) ?? '')
      return true
    case 'thinking_end':
      message.complete(index, 'thinking', stringOf(event.content) ?? '')
      return true
    case 'toolcall_end':
      calls.end(message, index, event)
      return true
    // `message_end` has the same and more, and some sources never send these.
    case 'start':
    case 'done':
    case 'error':
      return true
    default:
      return false
  }
}

const finish = (state: State, message: Fields) => {
  const open = state.open ?? begin(state, message)
  const final = messageOf(message)
  const isAborted = final.stopReason === 'aborted' || isAbortText(final.errorMessage)
  const failure = failureOf(final, isAborted)
  for (const [index, block] of final.content.entries())
    if (block.type === 'toolCall' && !open.has(index))
      open.endTool(index, stringOf(block.id) ?? '', stringOf(block.name) ?? '', block.arguments)
  open.finish(isAborted ? { ...final, stopReason: 'aborted' } : final, failure)
  state.open = undefined
  state.failed = failure && !isAborted ? open.id : undefined
  state.run.note(
    defined({
      stopReason: isAborted ? 'aborted' : final.stopReason,
      errorMessage: failure?.errorMessage,
    }),
  )
}

const failureOf = (final: Message, isAborted: boolean): MessageFailure | undefined => {
  if (!isAborted && final.stopReason !== 'error') return undefined
  const reason = isAborted ? 'aborted' : 'error'
  return { reason, ...defined({ errorMessage: final.errorMessage }) }
}

/** Ends the messages that are open, as far as they came. */
const closeOpen = (state: State) => {
  const { emit, other, open, model, lastUsage, startUsage } = state
  if (other !== undefined) {
    emit({ type: 'message_end', messageId: other, message: { role: 'custom', content: [] } })
    state.other = undefined
  }
  if (!open) return
  const message: Message = {
    role: 'assistant',
    content: open.content(),
    ...defined({ model }),
    stopReason: 'interrupted',
    ...(lastUsage === undefined && startUsage && { usage: { ...startUsage, estimated: true } }),
  }
  open.finish(message, { reason: 'interrupted' })
  state.open = undefined
}

const startOther = (state: State, message: Fields): string => {
  const messageRole = roleOf(message)
  if (messageRole === 'user') state.run.ensure()
  closeOpen(state)
  const messageId = state.newId()
  state.emit({ type: 'message_start', messageRole, messageId })
  return messageId
}

const endOther = (state: State, message: Fields) => {
  const messageId = state.other ?? startOther(state, message)
  state.other = undefined
  state.emit({ type: 'message_end', messageId, message: messageOf(message) })
  const tools = stringsOf(listOf(message.toolsAdded).map((tool) => fieldsOf(tool).name))
  if (tools.length > 0) state.emit({ type: 'session_update', tools })
}
