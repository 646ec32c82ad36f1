import { countOf, type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import type { PlainCalls } from '../plain-calls.ts'
import { contextUpdate } from './session.ts'
import { outcomeOf } from './wire.ts'

/** Copilot’s tools. */
export interface Tools {
  /** A `tool.execution_start` line. */
  start(data: Fields, parentToolCallId: string | undefined): void
  /** A `tool.shell_output` line: what a command printed, with its colours. */
  output(data: Fields): void
  /** A `tool.execution_partial_result` line: all that a call printed so far, without colours. */
  snapshot(data: Fields): void
  /** A `tool.execution_complete` line. */
  end(data: Fields): void
}

export const createTools = (emit: Emit, calls: PlainCalls): Tools => {
  /** How many parts of the output of a call were read. Its snapshots repeat them. */
  const parts = new Map<string, number>()

  return {
    start(data, parentToolCallId) {
      const toolCallId = stringOf(data.toolCallId)
      if (toolCallId === undefined) return
      const toolName = stringOf(data.toolName) ?? 'unknown'
      calls.start(toolCallId, toolName, data.arguments ?? {}, parentToolCallId)
    },
    output(data) {
      const id = stringOf(data.toolCallId) ?? ''
      const expected = parts.get(id) ?? 0
      const sequence = countOf(data.sequence) ?? expected
      parts.set(id, sequence + 1)
      calls.output(id, stringOf(data.text) ?? '', sequence > expected)
    },
    snapshot(data) {
      const id = stringOf(data.toolCallId) ?? ''
      if (!parts.has(id)) calls.snapshot(id, stringOf(data.partialOutput) ?? '')
    },
    end(data) {
      const id = stringOf(data.toolCallId)
      if (id === undefined) return
      parts.delete(id)
      calls.end(id, outcomeOf(data))
      const metrics = fieldsOf(fieldsOf(data.toolTelemetry).metrics)
      contextUpdate(metrics.context_current_tokens, metrics.context_token_limit).forEach(emit)
    },
  }
}
