import { interruptCall } from '../../events/missing-result.ts'
import type { Fields } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { resultEvents } from '../tool-calls/result-events.ts'
import { changesDiff } from './file-changes.ts'
import type { Messages } from './messages.ts'
import { type CodexCall, type CodexResult, callOf, resultOf } from './wire.ts'

/** Codex’s tools: items that start, print and end. Several run at once. */
export interface Tools {
  /** The item of a call has started. */
  start(item: Fields): void
  /** A call printed output. Codex leaves some of it out. */
  output(itemId: string, delta: string): void
  /** The item of a call is complete. */
  end(item: Fields): void
  /** The call of an item, if it runs. */
  find(itemId: string): CodexCall | undefined
  /** No more results will come: interrupts the calls that run. */
  close(): void
}

export interface ToolsOptions {
  emit: Emit
  /** The message that the calls are part of. */
  messages: Pick<Messages, 'call' | 'settle'>
  /** The directory of the thread; undefined if the stream does not name it. */
  cwd(): string | undefined
}

export const createTools = ({ emit, messages, cwd }: ToolsOptions): Tools => {
  const running = new Map<string, CodexCall>()

  const start = (item: Fields): CodexCall => {
    const call = callOf(item, cwd())
    const { id: toolCallId, toolName, input } = call
    interrupt(running.get(toolCallId))
    running.set(toolCallId, call)
    messages.call(call)
    emit({ type: 'tool_call', toolCallId, toolName, input })
    emit({ type: 'tool_execution_start', toolCallId, toolName, args: input })
    return call
  }

  const interrupt = (call: CodexCall | undefined) => {
    if (!call) return
    running.delete(call.id)
    for (const event of interruptCall({ toolCallId: call.id, toolName: call.toolName })) emit(event)
  }

  return {
    start(item) {
      start(item)
    },
    output(itemId, outputDelta) {
      const call = running.get(itemId)
      if (!call || outputDelta === '') return
      messages.settle()
      const { id: toolCallId, toolName } = call
      emit({ type: 'tool_execution_update', toolCallId, toolName, outputDelta })
    },
    end(item) {
      const call = running.get(typeof item.id === 'string' ? item.id : '') ?? start(item)
      messages.settle()
      const result = resultOf(item)
      if (result.isInterrupted) return interrupt(call)
      running.delete(call.id)
      emitResult(emit, { ...call, input: callOf(item, cwd()).input }, result)
    },
    find: (itemId) => running.get(itemId),
    close() {
      for (const call of running.values()) interrupt(call)
    },
  }
}

const emitResult = (emit: Emit, call: CodexCall, reported: CodexResult) => {
  const { id: toolCallId, toolName, input } = call
  const { content, isError, exitCode, durationMs } = reported
  const diff = isError || toolName !== 'file_change' ? undefined : changesDiff(input)
  const details = diff === undefined ? reported.details : { diff }
  const ended = { toolCallId, toolName, content, isError, exitCode, durationMs, details }
  const { end, result } = resultEvents(ended)
  emit(end)
  emit(result)
}
