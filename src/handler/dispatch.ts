import { describeRenewal, describeUse, formatAmount } from '../budget/amounts.ts'
import { blobIn, withMoreLine } from '../events/blob-preview.ts'
import { retryText } from '../events/retry-reasons.ts'
import type { EventOf, EventType, ShellRun } from '../events/types.ts'
import type { StreamHandler } from './stream-handler.ts'

type CallTable = { [Type in EventType]?: (event: EventOf<Type>, handler: StreamHandler) => void }
type Typed<Type extends EventType> = { [Key in EventType]: EventOf<Key> }[Type] & { type: Type }

/** The last error that each handler received. A run that ends with the same error does not repeat it. */
const lastErrors = new WeakMap<StreamHandler, string>()

/** The calls of each event. Text is only that of the main thread; tools are those of all threads. */
const calls: CallTable = {
  message_update(event, handler) {
    if (event.parentToolCallId !== undefined) return
    const update = event.assistantMessageEvent
    if (update.type === 'text_delta') handler.onText(update.delta)
    else if (update.type === 'thinking_delta') handler.onThinking?.(update.delta)
  },
  message_end(event, handler) {
    const { role, content, synthetic } = event.message
    if (event.parentToolCallId !== undefined) return
    if (role === 'assistant') handler.onMessageEnd?.()
    else if (role === 'user' && !synthetic) handler.onPrompt?.(resultText({ content }))
  },
  tool_call: (event, handler) =>
    handler.onToolCall(event.toolName, event.toolCallId, event.input, event.parentToolCallId),
  tool_execution_update: (event, handler) =>
    handler.onToolOutput?.(event.toolCallId, withMoreLine(event.outputDelta, event.blob)),
  tool_execution_end(event, handler) {
    const { result, blob, interrupted } = event
    const output = interrupted ? 'interrupted' : withMoreLine(resultText(result), blob)
    handler.onToolResult(event.toolCallId, output, event.isError ?? interrupted ?? false)
  },
  message_withdrawn: (event, handler) =>
    handler.onNotice?.(
      event.reason === 'retried'
        ? 'The attempt failed and was withdrawn; retrying.'
        : 'The message was withdrawn.',
    ),
  auto_retry_start: (event, handler) =>
    handler.onNotice?.(`Retry ${event.attempt} in ${event.delayMs} ms: ${retryText(event)}`),
  compaction_start: (_, handler) => handler.onNotice?.('Compacting context…'),
  compaction_end: (event, handler) => handler.onNotice?.(compactionNotice(event)),
  approval_request: (event, handler) =>
    handler.onNotice?.(
      `Waiting for approval: ${event.budget ? 'raise the limit' : (event.toolName ?? event.dialog?.title ?? 'a question')}`,
    ),
  budget_update: (event, handler) => handler.onNotice?.(budgetNotice(event)),
  session_update(event, handler) {
    if (event.notice) handler.onNotice?.(event.notice.text)
    if (event.todos && event.parentToolCallId === undefined) handler.onTodos?.(event.todos)
    if (event.status?.startsWith('stopping')) handler.onNotice?.(`${capitalize(event.status)}…`)
    if (event.shell) shellCalls(event.shell, handler)
  },
  error(event, handler) {
    lastErrors.set(handler, event.message)
    handler.onError(event.message)
  },
  agent_end(event, handler) {
    if (event.interrupted) handler.onError('The stream ended before the agent finished.')
    else if (event.stopReason === 'aborted') handler.onNotice?.('Stopped.')
    else if (event.stopReason === 'error' && event.errorMessage !== lastErrors.get(handler))
      handler.onError(event.errorMessage ?? 'The agent failed.')
    lastErrors.delete(handler)
  },
}

/** A shell command of a person looks like a tool call of the agent. */
const shellCalls = (shell: ShellRun, handler: StreamHandler): void => {
  const { id, command, outputDelta, blob, exitCode, cancelled } = shell
  if (command !== undefined) handler.onToolCall('bash', id, { command })
  if (outputDelta !== undefined) handler.onToolOutput?.(id, withMoreLine(outputDelta, blob))
  if (cancelled) handler.onToolResult(id, 'interrupted', true)
  else if (exitCode !== undefined)
    handler.onToolResult(id, exitCode === 0 ? '' : `Exit code ${exitCode}`, exitCode !== 0)
}

/** Calls a handler for one event. It does not call `onComplete`: an event cannot end the stream. */
export const dispatch = <Type extends EventType>(
  event: Typed<Type>,
  handler: StreamHandler,
): void => {
  const call: CallTable[Type] = calls[event.type]
  call?.(event, handler)
}

const capitalize = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** What happened to a limit, for people. */
export const budgetNotice = ({ level, budget }: EventOf<'budget_update'>): string => {
  const { scope, measure, limit } = budget
  if (level === 'raised')
    return `The limit of this ${scope} was raised to ${formatAmount(measure, limit)}.`
  if (level === 'renewed') return describeRenewal(budget)
  return describeUse(budget, level === 'warning' ? 'nearly used' : 'reached')
}

const compactionNotice = (event: EventOf<'compaction_end'>): string => {
  if (event.errorMessage !== undefined) return `Compaction failed: ${event.errorMessage}`
  const { tokensBefore, tokensAfter } = event
  if (tokensBefore === undefined) return 'Context compacted.'
  return `Context compacted: ${tokensBefore} tokens${tokensAfter === undefined ? '' : ` to ${tokensAfter}`}.`
}

/** The text in a tool’s result. */
export const resultText = (result: unknown): string => {
  if (typeof result === 'string') return result
  if (typeof result !== 'object' || result === null || !('content' in result)) return ''
  const { content } = result
  return Array.isArray(content) ? content.reduce(withBlock, '') : ''
}

/** What is attached to a text stands apart from it. */
const withBlock = (text: string, block: unknown): string => {
  const added = blockText(block)
  const isApart = added === '' || text === '' || /\s$/.test(text) || !isAttachment(block)
  return isApart ? text + added : `${text} ${added}`
}

const isAttachment = (block: unknown): boolean =>
  typeof block === 'object' &&
  block !== null &&
  'type' in block &&
  (block.type === 'attachedFile' || block.type === 'image')

const blockText = (block: unknown): string => {
  if (typeof block !== 'object' || block === null) return ''
  if ('text' in block && typeof block.text === 'string')
    return withMoreLine(block.text, blobIn(block))
  if (!('type' in block)) return ''
  if (block.type === 'attachedFile' && 'name' in block) return `[file ${block.name}]`
  return block.type === 'image' ? '[image]' : ''
}
