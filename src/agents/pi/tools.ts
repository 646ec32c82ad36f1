import { interruptedCall } from '../../events/interrupted-call.ts'
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
import { detailsWithDiff } from '../tool-calls/edit-diff.ts'
import { toolKindOf } from '../tool-calls/tool-kind.ts'
import { freshOutput } from '../window.ts'
import { blocksOf, exitCodeOf, outputText } from './wire.ts'

/** Pi’s tools. They run in parallel, and `toolCallId` alone identifies a call. */
export interface Tools {
  /** A `tool_execution_start` line. */
  start(line: Fields): void
  /** A `tool_execution_update` line. */
  update(line: Fields): void
  /** A `tool_execution_end` line. */
  end(line: Fields): void
  /** The message that carries the result to the model. */
  result(message: Fields): void
  /** The latest call that runs. Pi asks about one call at a time, so this is the one that waits. */
  latest(): OpenCall | undefined
  /** No more results will come: interrupts the calls that run. */
  close(): void
}

export interface OpenCall {
  toolCallId: string
  toolName: string
}

interface RunningTool {
  name: string
  output: string
  emit: Emit
}

interface EndedTool {
  tool: RunningTool
  line: Fields
}

/** `onEnd` is called with the id of each call that ended with a result. */
export const createTools = (emit: Emit, onEnd: (toolCallId: string) => void): Tools => {
  const running = new Map<string, RunningTool>()
  const ended = new Set<string>()
  /** The arguments of edits whose result is still to come. */
  const edits = new Map<string, unknown>()
  /** The ends of calls whose result is still to come. */
  const unreported = new Map<string, EndedTool>()

  const start = (toolCallId: string, line: Fields): RunningTool => {
    const toolName = stringOf(line.toolName) ?? 'unknown'
    const tool = { name: toolName, output: '', emit: inside(emit, stringOf(line.parentToolCallId)) }
    running.set(toolCallId, tool)
    ended.delete(toolCallId)
    if (toolKindOf(toolName) === 'edit') edits.set(toolCallId, line.args)
    tool.emit({ type: 'tool_call', toolCallId, toolName, input: line.args ?? {} })
    tool.emit({ type: 'tool_execution_start', toolCallId, toolName, args: line.args ?? {} })
    return tool
  }

  const end = (toolCallId: string, tool: RunningTool, line: Fields) => {
    running.delete(toolCallId)
    ended.add(toolCallId)
    onEnd(toolCallId)
    unreported.set(toolCallId, { tool, line })
    emitEnd(toolCallId, tool, line)
  }

  return {
    start(line) {
      const id = stringOf(line.toolCallId)
      if (id !== undefined) start(id, line)
    },
    update(line) {
      const id = stringOf(line.toolCallId)
      if (id !== undefined) emitUpdate(id, running.get(id) ?? start(id, line), line)
    },
    end(line) {
      const id = stringOf(line.toolCallId)
      if (id !== undefined) end(id, running.get(id) ?? start(id, line), line)
    },
    result(message) {
      const id = stringOf(message.toolCallId) ?? ''
      const isError = flagOf(message.isError) ?? false
      const open = running.get(id) ?? (ended.has(id) ? undefined : start(id, message))
      if (open) end(id, open, { isError, result: { content: message.content } })
      emitResult(emit, { toolCallId: id, args: edits.get(id), message, isError })
      edits.delete(id)
      unreported.delete(id)
    },
    latest() {
      const last = [...running].at(-1)
      return last && { toolCallId: last[0], toolName: last[1].name }
    },
    close() {
      for (const [toolCallId, { tool, line }] of unreported)
        emitResult(tool.emit, {
          toolCallId,
          args: edits.get(toolCallId),
          message: { ...fieldsOf(line.result), toolName: tool.name },
          isError: flagOf(line.isError) ?? false,
        })
      unreported.clear()
      for (const [toolCallId, { name: toolName, emit }] of running)
        for (const event of interruptedCall(toolCallId, toolName)) emit(event)
      running.clear()
      edits.clear()
    },
  }
}

const emitUpdate = (toolCallId: string, tool: RunningTool, line: Fields) => {
  const now = outputText(line.partialResult)
  const fresh = freshOutput(tool.output, now)
  tool.output = now
  if (fresh.text === '') return
  tool.emit({
    type: 'tool_execution_update',
    toolCallId,
    toolName: tool.name,
    outputDelta: fresh.text,
    ...(fresh.gap && { gap: true as const }),
  })
}

const emitEnd = (toolCallId: string, { name: toolName, emit }: RunningTool, line: Fields) => {
  const { result } = line
  emit({
    type: 'tool_execution_end',
    toolCallId,
    toolName,
    ...defined({
      exitCode: exitCodeOf(toolName, result),
      isError: flagOf(line.isError),
      result: isFields(result) ? withoutCopies(result) : result,
      durationMs: countOf(line.durationMs),
    }),
  })
}

interface ToolResult {
  toolCallId: string
  /** The arguments, if the call is an edit. */
  args: unknown
  message: Fields
  isError: boolean
}

const emitResult = (emit: Emit, { toolCallId, args, message, isError }: ToolResult) => {
  const toolName = stringOf(message.toolName) ?? 'unknown'
  const details = detailsWithDiff({ toolName, args, details: message.details, isError })
  emit({
    type: 'tool_result',
    message: {
      role: 'toolResult',
      toolCallId,
      toolName,
      content: blocksOf(message.content),
      ...defined({ details }),
      isError,
    },
  })
}

/** The result without the second copy of its output, which may be a megabyte long. */
const withoutCopies = (result: Fields): Fields => {
  const structured = fieldsOf(result.structuredContent)
  if (result.structuredContent === undefined) return result
  const { structuredContent: _, ...others } = result
  const { output: __, content: ___, ...rest } = structured
  const isSmall = typeof result.structuredContent === 'object' && !('data' in structured)
  return isSmall && Object.keys(rest).length > 0 ? { ...others, structuredContent: rest } : others
}
