import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  flagOf,
  isFields,
  stringOf,
} from '../../shared/fields.ts'
import { type Emit, inside } from '../emit.ts'
import { freshOutput } from '../window.ts'
import { blocksOf, exitCodeOf, outputText } from './wire.ts'

interface Running {
  name: string
  output: string
  /** Says whose it is, where it is nested in another call. */
  emit: Emit
}

/** Pi’s tools: executed side by side, told apart by toolCallId only. */
export const createTools = (emit: Emit) => {
  const running = new Map<string, Running>()
  const ended = new Set<string>()

  const start = (toolCallId: string, line: Fields): Running => {
    const tell = inside(emit, stringOf(line.parentToolCallId))
    const toolName = stringOf(line.toolName) ?? 'unknown'
    const tool = { name: toolName, output: '', emit: tell }
    running.set(toolCallId, tool)
    ended.delete(toolCallId)
    tell({ type: 'tool_call', toolCallId, toolName, input: line.args ?? {} })
    tell({ type: 'tool_execution_start', toolCallId, toolName, args: line.args ?? {} })
    return tool
  }

  const end = (toolCallId: string, tool: Running, line: Fields) => {
    running.delete(toolCallId)
    ended.add(toolCallId)
    const { result } = line
    tool.emit({
      type: 'tool_execution_end',
      toolCallId,
      toolName: tool.name,
      ...defined({
        exitCode: exitCodeOf(tool.name, result),
        isError: flagOf(line.isError),
        result: isFields(result) ? publicResult(result) : result,
        durationMs: countOf(line.durationMs),
      }),
    })
  }

  return {
    start(line: Fields) {
      const id = stringOf(line.toolCallId)
      if (id !== undefined) start(id, line)
    },
    update(line: Fields) {
      const id = stringOf(line.toolCallId)
      if (id === undefined) return
      const tool = running.get(id) ?? start(id, line)
      const now = outputText(line.partialResult)
      const fresh = freshOutput(tool.output, now)
      tool.output = now
      if (fresh.text === '') return
      tool.emit({
        type: 'tool_execution_update',
        toolCallId: id,
        toolName: tool.name,
        outputDelta: fresh.text,
        ...(fresh.gap && { gap: true as const }),
      })
    },
    end(line: Fields) {
      const id = stringOf(line.toolCallId)
      if (id !== undefined) end(id, running.get(id) ?? start(id, line), line)
    },
    /** The message that carries the result to the model. */
    result(message: Fields) {
      const id = stringOf(message.toolCallId) ?? ''
      const isError = flagOf(message.isError) ?? false
      const open = running.get(id) ?? (ended.has(id) ? undefined : start(id, message))
      if (open) end(id, open, { isError, result: { content: message.content } })
      emit({
        type: 'tool_result',
        message: {
          role: 'toolResult',
          toolCallId: id,
          toolName: stringOf(message.toolName) ?? 'unknown',
          content: blocksOf(message.content),
          ...defined({ details: message.details }),
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
        tool.emit({
          type: 'tool_execution_end',
          toolCallId,
          toolName: tool.name,
          interrupted: true,
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
