import type { AgentEvent } from '../../events/event.ts'
import { freshOutput } from '../window.ts'
import { countOf, type Fields, fieldsOf, flagOf, given, isFields, textOf } from '../wire.ts'
import { blocksOf, exitCodeOf, outputText } from './wire.ts'

interface Running {
  name: string
  output: string
  parent: { parentToolCallId: string } | undefined
}

/** Pi’s tools: executed side by side, told apart by toolCallId only. */
export const createTools = (emit: (event: AgentEvent) => void) => {
  const running = new Map<string, Running>()
  const ended = new Set<string>()

  const start = (toolCallId: string, line: Fields): Running => {
    const parentToolCallId = textOf(line.parentToolCallId)
    const parent = parentToolCallId === undefined ? undefined : { parentToolCallId }
    const toolName = textOf(line.toolName) ?? 'unknown'
    const tool = { name: toolName, output: '', parent }
    running.set(toolCallId, tool)
    ended.delete(toolCallId)
    emit({ type: 'tool_call', toolCallId, toolName, input: line.args ?? {}, ...parent })
    emit({ type: 'tool_execution_start', toolCallId, toolName, args: line.args ?? {}, ...parent })
    return tool
  }

  const end = (toolCallId: string, tool: Running, line: Fields) => {
    running.delete(toolCallId)
    ended.add(toolCallId)
    const { result } = line
    emit({
      type: 'tool_execution_end',
      toolCallId,
      toolName: tool.name,
      ...given({
        exitCode: exitCodeOf(tool.name, result),
        isError: flagOf(line.isError),
        result: isFields(result) ? publicResult(result) : result,
        durationMs: countOf(line.durationMs),
      }),
      ...tool.parent,
    })
  }

  return {
    start(line: Fields) {
      const id = textOf(line.toolCallId)
      if (id !== undefined) start(id, line)
    },
    update(line: Fields) {
      const id = textOf(line.toolCallId)
      if (id === undefined) return
      const tool = running.get(id) ?? start(id, line)
      const now = outputText(line.partialResult)
      const fresh = freshOutput(tool.output, now)
      tool.output = now
      if (fresh.text === '') return
      emit({
        type: 'tool_execution_update',
        toolCallId: id,
        toolName: tool.name,
        outputDelta: fresh.text,
        ...(fresh.gap && { gap: true as const }),
        ...tool.parent,
      })
    },
    end(line: Fields) {
      const id = textOf(line.toolCallId)
      if (id !== undefined) end(id, running.get(id) ?? start(id, line), line)
    },
    /** The message that carries the result to the model. */
    result(message: Fields) {
      const id = textOf(message.toolCallId) ?? ''
      const isError = flagOf(message.isError) ?? false
      const open = running.get(id) ?? (ended.has(id) ? undefined : start(id, message))
      if (open) end(id, open, { isError, result: { content: message.content } })
      emit({
        type: 'tool_result',
        message: {
          role: 'toolResult',
          toolCallId: id,
          toolName: textOf(message.toolName) ?? 'unknown',
          content: blocksOf(message.content),
          ...given({ details: message.details }),
          isError,
        },
      })
    },
    /** The call that waits for an answer: preflight is one at a time, so the latest open one. */
    latest(): { toolCallId: string; toolName: string } | undefined {
      const last = [...running].at(-1)
      return last && { toolCallId: last[0], toolName: last[1].name }
    },
    /** No result will come any more. */
    close() {
      for (const [toolCallId, tool] of running)
        emit({
          type: 'tool_execution_end',
          toolCallId,
          toolName: tool.name,
          interrupted: true,
          ...tool.parent,
        })
      running.clear()
    },
  }
}

/** The result without its second copy of the output, which may be a megabyte long. */
const publicResult = (result: Fields): Fields => {
  const structured = fieldsOf(result.structuredContent)
  if (result.structuredContent === undefined) return result
  const { structuredContent: _, ...kept } = result
  const { output: __, content: ___, ...rest } = structured
  const small = typeof result.structuredContent === 'object' && !('data' in structured)
  return small && Object.keys(rest).length > 0 ? { ...kept, structuredContent: rest } : kept
}
