import type { Block, ToolResultMessage } from '../../../events/types.ts'
import { fieldsOf, isFields } from '../../../shared/fields.ts'
import type { IdentifiedCall } from './message.ts'
import { pause } from './pause.ts'
import type { RunContext } from './run-context.ts'
import type { CallResult, ToolOutput } from './script.ts'

/** A line of output takes as long as this many words. */
const wordsPerLine = 4

interface EndedCall {
  result: CallResult
  message: ToolResultMessage
}

/** Runs the calls of one message in parallel; their results follow in the order of the calls. */
export const runCalls = async (
  context: RunContext,
  calls: readonly IdentifiedCall[],
): Promise<CallResult[]> => {
  const ended = await Promise.all(calls.map((call) => runCall(context, call)))
  for (const { message } of ended) context.emit({ type: 'tool_result', message })
  return ended.map(({ result }) => result)
}

const runCall = async (context: RunContext, call: IdentifiedCall): Promise<EndedCall> => {
  const { emit, signal, pace } = context
  const { id: toolCallId, name: toolName } = call
  emit({ type: 'tool_call', toolCallId, toolName, input: call.input })
  const reply = await approvalFor(context, call)
  const isRewritten = isFields(reply.updatedInput)
  const input = isRewritten ? fieldsOf(reply.updatedInput) : call.input
  const startedAt = Date.now()
  emit({ type: 'tool_execution_start', toolCallId, toolName, args: input })

  const end = (output: ToolOutput, result: CallResult): EndedCall => {
    const { exitCode, isError = false, details } = output
    const shown = { content: contentOf(output), ...(details !== undefined && { details }) }
    emit({
      type: 'tool_execution_end',
      toolCallId,
      toolName,
      ...(exitCode !== undefined && { exitCode }),
      isError,
      result: shown,
      durationMs: Date.now() - startedAt,
    })
    return { result, message: { role: 'toolResult', toolCallId, toolName, ...shown, isError } }
  }

  if (reply.action === 'deny') {
    const { message = 'Denied.' } = reply
    return end({ lines: [message], isError: true }, { outcome: 'denied', message })
  }
  const output = call.output(input)
  for (const line of output.lines) {
    await pause(pace * wordsPerLine, signal)
    emit({ type: 'tool_execution_update', toolCallId, toolName, outputDelta: `${line}\n` })
  }
  if (output.isError) return end(output, { outcome: 'failed' })
  return end(output, { outcome: isRewritten ? 'rewritten' : 'done' })
}

const approvalFor = async (context: RunContext, call: IdentifiedCall) => {
  const { id: toolCallId, name: toolName, input: args, approvalReason: reasoning } = call
  if (reasoning === undefined) return { action: 'allow' as const }
  return context.requestApproval({ kind: 'tool', toolCallId, toolName, args, reasoning })
}

const contentOf = ({ lines, blocks = [] }: ToolOutput): Block[] => [
  { type: 'text', text: lines.join('\n') },
  ...blocks,
]
