import type { Message } from '../../events/types.ts'
import { countOf, defined, type Fields, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { createOpenMessage, type Failure, type OpenMessage } from '../open-message.ts'
import type { createRun } from './run.ts'
import { toolsAdded } from './session.ts'
import type { createTools } from './tools.ts'
import { isAbortText, messageOf, roleOf, usageOf } from './wire.ts'

interface ToolName {
  id: string
  name: string
}

/** Pi’s messages: the assistant’s while it streams, and everybody’s when complete. */
export const createMessages = (
  scope: string,
  emit: Emit,
  run: ReturnType<typeof createRun>,
  tools: ReturnType<typeof createTools>,
) => {
  let count = 0
  let model: string | undefined
  /** The usage object of the last update; a shortcut hands over the same one again. */
  let lastUsage: unknown
  let open: OpenMessage | undefined
  /** A message of another role that has started and not ended. */
  let other: string | undefined
  /** The last assistant message, when it failed: a retry takes it back. */
  let failed: string | undefined
  /** Tool names that message_start held, for dialects that tell them nowhere else until the end. */
  let placeholders = new Map<number, ToolName>()
  /** Arguments that streamed before their call had a name (0.84.0). */
  let nameless = new Map<number, string>()

  const nextId = () => {
    count += 1
    return `${scope}m${count}`
  }

  const begin = (message: Fields): OpenMessage => {
    run.ensure()
    closeOpen()
    failed = undefined
    lastUsage = undefined
    noteModel(stringOf(message.model))
    placeholders = toolNames(message.content)
    nameless = new Map()
    const id = nextId()
    emit({
      type: 'message_start',
      messageRole: 'assistant',
      messageId: id,
      ...defined({ model: stringOf(message.model) }),
    })
    return createOpenMessage(id, emit)
  }

  const noteModel = (now: string | undefined) => {
    if (now === undefined || now === model) return
    model = now
    emit({ type: 'session_update', model: now })
  }

  /** Only versions that settle say the usage of every step. */
  const noteUsage = (message: OpenMessage, value: unknown) => {
    run.promiseSettled()
    lastUsage = value
    const usage = usageOf(value)
    if (usage) message.usage(usage)
  }

  const startOther = (message: Fields): string => {
    const messageRole = roleOf(message)
    if (messageRole === 'user') run.ensure()
    closeOpen()
    const messageId = nextId()
    emit({ type: 'message_start', messageRole, messageId })
    return messageId
  }

  const endOther = (message: Fields) => {
    const messageId = other ?? startOther(message)
    other = undefined
    emit({ type: 'message_end', messageId, message: messageOf(message) })
    const added = toolsAdded(message)
    if (added.length > 0) emit({ type: 'session_update', tools: added })
  }

  const finish = (message: Fields) => {
    open ??= begin(message)
    const final = messageOf(message)
    const aborted = final.stopReason === 'aborted' || isAbortText(final.errorMessage)
    const failure = failureOf(final, aborted)
    const { id } = open
    for (const [index, block] of final.content.entries())
      if (block.type === 'toolCall' && !open.has(index))
        open.endTool(index, stringOf(block.id) ?? '', stringOf(block.name) ?? '', block.arguments)
    open.finish(aborted ? { ...final, stopReason: 'aborted' } : final, failure)
    open = undefined
    failed = failure && !aborted ? id : undefined
    run.note(
      defined({
        stopReason: aborted ? 'aborted' : final.stopReason,
        errorMessage: failure?.errorMessage,
      }),
    )
  }

  const closeOpen = () => {
    if (other !== undefined) {
      emit({ type: 'message_end', messageId: other, message: { role: 'custom', content: [] } })
      other = undefined
    }
    if (!open) return
    const message: Message = {
      role: 'assistant',
      content: open.content(),
      ...defined({ model }),
      stopReason: 'interrupted',
    }
    open.finish(message, { reason: 'interrupted' })
    open = undefined
  }

  /** A tool’s name stands in the event, in an old dialect’s snapshot, or in message_start. */
  const toolName = (index: number, event: Fields): ToolName | undefined => {
    const snapshot = fieldsOf(listOf(fieldsOf(event.partial).content)[index])
    const id = stringOf(event.id) ?? stringOf(snapshot.id)
    const name = stringOf(event.toolName) ?? stringOf(snapshot.name)
    return id !== undefined && name !== undefined ? { id, name } : placeholders.get(index)
  }

  const endTool = (message: OpenMessage, index: number, event: Fields) => {
    const call = fieldsOf(event.toolCall)
    const known = toolName(index, event)
    const id = stringOf(call.id) ?? known?.id ?? ''
    const name = stringOf(call.name) ?? known?.name ?? ''
    message.startTool(index, id, name)
    const waiting = nameless.get(index)
    if (waiting !== undefined) message.toolDelta(index, waiting)
    nameless.delete(index)
    message.endTool(index, id, name, call.arguments)
  }

  const toolDelta = (message: OpenMessage, index: number, delta: string) => {
    if (message.has(index)) message.toolDelta(index, delta)
    else nameless.set(index, (nameless.get(index) ?? '') + delta)
  }

  const startTool = (message: OpenMessage, index: number, event: Fields) => {
    const known = toolName(index, event)
    if (known) message.startTool(index, known.id, known.name)
  }

  const grow = (message: OpenMessage, event: Fields, line: Fields) => {
    const index = countOf(event.contentIndex) ?? 0
    const delta = stringOf(event.delta) ?? ''
    switch (event.type) {
      case 'text_delta':
        return message.delta(index, 'text', delta)
      case 'thinking_delta':
        return message.delta(index, 'thinking', delta)
      case 'toolcall_delta':
        return toolDelta(message, index, delta)
      case 'text_start':
        return message.start(index, 'text')
      case 'thinking_start':
        return message.start(index, 'thinking')
      case 'toolcall_start':
        return startTool(message, index, event)
      case 'text_end':
        return message.complete(index, 'text', stringOf(event.content) ?? '')
      case 'thinking_end':
        return message.complete(index, 'thinking', stringOf(event.content) ?? '')
      case 'toolcall_end':
        return endTool(message, index, event)
      // message_end says the same and more; some sources never send these.
      case 'start':
      case 'done':
      case 'error':
        return
      default:
        return emit({ type: 'raw', agent: 'pi', line })
    }
  }

  return {
    start(message: Fields) {
      if (message.stopReason === 'pending' || message.role === 'system') run.promiseSettled()
      if (message.role === 'toolResult') return
      if (message.role === 'assistant') open = begin(message)
      else other = startOther(message)
    },
    update(line: Fields) {
      open ??= begin(fieldsOf(line.message))
      grow(open, fieldsOf(line.assistantMessageEvent), line)
      if (line.usage !== undefined && line.usage !== lastUsage) noteUsage(open, line.usage)
    },
    end(message: Fields) {
      if (message.role === 'toolResult') {
        run.ensure()
        tools.result(message)
      } else if (message.role === 'assistant') finish(message)
      else endOther(message)
    },
    /** The failed attempt will be made again: readers take its text back. */
    withdrawFailed() {
      if (failed === undefined) return
      emit({ type: 'message_withdrawn', messageId: failed, reason: 'retried' })
      failed = undefined
    },
    close: closeOpen,
  }
}

const failureOf = (final: Message, aborted: boolean): Failure | undefined => {
  if (!aborted && final.stopReason !== 'error') return undefined
  const reason = aborted ? 'aborted' : 'error'
  return final.errorMessage === undefined
    ? { reason }
    : { reason, errorMessage: final.errorMessage }
}

const toolNames = (content: unknown): Map<number, ToolName> => {
  const names = new Map<number, ToolName>()
  listOf(content).forEach((item, index) => {
    const block = fieldsOf(item)
    const id = stringOf(block.id)
    const name = stringOf(block.name)
    if (block.type === 'toolCall' && id && name) names.set(index, { id, name })
  })
  return names
}
