import { interruptCall, missingResult } from '../../events/missing-result.ts'
import type { ToolExecutionEndEvent } from '../../events/types.ts'
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
  /** No more results will come: interrupts the calls that run, and reports what the others returned. */
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

/** `onEnd` is called with the id of each call that ended with a result. */
export const createTools = (emit: Emit, onEnd: (toolCallId: string) => void): Tools => {
  const running = new Map<string, RunningTool>()
  /** The calls whose result is still to come, with the way to report it. */
  const ended = new Map<string, () => void>()
  /** The calls that have their result. */
  const reported = new Set<string>()
  /** Those among them that were interrupted. The agent may still report what they returned. */
  const cut = new Set<string>()
  /** The arguments of edits whose result is still to come. */
  const edits = new Map<string, unknown>()

  const start = (toolCallId: string, line: Fields): RunningTool => {
    close(toolCallId)
    const toolName = stringOf(line.toolName) ?? 'unknown'
    const tool = { name: toolName, output: '', emit: inside(emit, stringOf(line.parentToolCallId)) }
    running.set(toolCallId, tool)
    reported.delete(toolCallId)
    cut.delete(toolCallId)
    if (toolKindOf(toolName) === 'edit') edits.set(toolCallId, line.args)
    tool.emit({ type: 'tool_call', toolCallId, toolName, input: line.args ?? {} })
    tool.emit({ type: 'tool_execution_start', toolCallId, toolName, args: line.args ?? {} })
    return tool
  }

  const end = (toolCallId: string, tool: RunningTool, line: Fields) => {
    const event = endEvent(toolCallId, tool, line)
    running.delete(toolCallId)
    ended.set(toolCallId, () => tool.emit(missingResult(event)))
    onEnd(toolCallId)
    tool.emit(event)
  }

  /** Closes a call whose result will not come; does nothing if it has its result. */
  const close = (toolCallId: string) => {
    const tool = running.get(toolCallId)
    if (tool) {
      for (const event of interruptCall({ toolCallId, toolName: tool.name })) tool.emit(event)
      cut.add(toolCallId)
    } else ended.get(toolCallId)?.()
    report(toolCallId)
  }

  const report = (toolCallId: string) => {
    running.delete(toolCallId)
    ended.delete(toolCallId)
    edits.delete(toolCallId)
    reported.add(toolCallId)
  }

  /** The call of a line; undefined if it has its result. Some lines come without a start. */
  const callOf = (toolCallId: string, line: Fields): RunningTool | undefined =>
    running.get(toolCallId) ?? (reported.has(toolCallId) ? undefined : start(toolCallId, line))

  return {
    start(line) {
      const id = stringOf(line.toolCallId)
      if (id !== undefined) start(id, line)
    },
    update(line) {
      const id = stringOf(line.toolCallId)
      const tool = id !== undefined && callOf(id, line)
      if (tool) emitUpdate(id, tool, line)
    },
    end(line) {
      const id = stringOf(line.toolCallId)
      const tool = id !== undefined && callOf(id, line)
      if (tool) end(id, tool, line)
    },
    result(message) {
      const id = stringOf(message.toolCallId) ?? ''
      const isError = flagOf(message.isError) ?? false
      if (reported.has(id) && !cut.delete(id)) return
      const open = ended.has(id) ? undefined : callOf(id, message)
      if (open) end(id, open, { isError, result: { content: message.content } })
      emitResult(emit, { toolCallId: id, args: edits.get(id), message, isError })
      report(id)
    },
    latest() {
      const last = [...running].at(-1)
      return last && { toolCallId: last[0], toolName: last[1].name }
    },
    close() {
      for (const id of [...running.keys(), ...ended.keys()]) close(id)
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

const endEvent = (
  toolCallId: string,
  { name: toolName }: RunningTool,
  line: Fields,
): ToolExecutionEndEvent => {
  const { result } = line
  return {
    type: 'tool_execution_end',
    toolCallId,
    toolName,
    ...defined({
      exitCode: exitCodeOf(toolName, result),
      isError: flagOf(line.isError),
      result: isFields(result) ? withoutCopies(result) : result,
      durationMs: countOf(line.durationMs),
    }),
  }
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
