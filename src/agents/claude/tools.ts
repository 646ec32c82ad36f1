import type { Block } from '../../events/types.ts'
import { defined, type Fields, fieldsOf, flagOf, stringOf } from '../../shared/fields.ts'
import { type Emit, inside } from '../emit.ts'
import { blocksOf, exitCodeOf, textOfBlocks } from './wire.ts'

interface Running {
  name: string
  input: unknown
  /** Says whose it is, where a subagent called it. */
  emit: Emit
  isMain: boolean
}

/** Tools that start an agent of their own; the name changed with 2.1.112. */
const isSubagent = (name: string) => name === 'Task' || name === 'Agent'

/**
 * Claude’s tools. Its stream has calls and results only: execution starts with the call and ends
 * with the result. A subagent that was sent into the background goes on after its call’s result.
 */
export const createTools = (emit: Emit, closeThread: (toolCallId: string) => void) => {
  const running = new Map<string, Running>()
  const ended = new Set<string>()
  const subagents = new Set<string>()

  const call = (toolCallId: string, name: string, input: unknown, parentToolCallId?: string) => {
    const tell = inside(emit, parentToolCallId)
    running.set(toolCallId, { name, input, emit: tell, isMain: parentToolCallId === undefined })
    ended.delete(toolCallId)
    tell({ type: 'tool_call', toolCallId, toolName: name, input })
    tell({ type: 'tool_execution_start', toolCallId, toolName: name, args: input })
    if (!isSubagent(name)) return
    const asked = fieldsOf(input)
    subagents.add(toolCallId)
    tell({
      type: 'subagent_start',
      toolCallId,
      ...defined({
        kind: stringOf(asked.subagent_type),
        description: stringOf(asked.description),
        prompt: stringOf(asked.prompt),
      }),
    })
  }

  const endSubagent = (toolCallId: string, isError: boolean | undefined) => {
    if (!subagents.delete(toolCallId)) return
    closeThread(toolCallId)
    emit({ type: 'subagent_end', toolCallId, ...defined({ isError }) })
  }

  const interrupt = (toolCallId: string, tool: Running) => {
    running.delete(toolCallId)
    ended.add(toolCallId)
    tool.emit({
      type: 'tool_execution_end',
      toolCallId,
      toolName: tool.name,
      interrupted: true,
    })
  }

  return {
    call,
    /** A subagent in the background is done; one in the foreground ends with its call’s result. */
    endDetached(toolCallId: string, isError: boolean) {
      if (ended.has(toolCallId)) endSubagent(toolCallId, isError)
    },
    /** A call’s result; `details` is the structured form that comes beside it. */
    result(block: Fields, details: unknown, parentToolCallId?: string) {
      const toolCallId = stringOf(block.tool_use_id) ?? ''
      if (ended.has(toolCallId)) return
      if (!running.has(toolCallId)) call(toolCallId, 'unknown', {}, parentToolCallId)
      const tool = running.get(toolCallId)
      if (!tool) return
      const content = blocksOf(block.content)
      const isError = flagOf(block.is_error) ?? false
      if (subagents.has(toolCallId) && !wentToBackground(content, details))
        endSubagent(toolCallId, isError)
      running.delete(toolCallId)
      ended.add(toolCallId)
      const exitCode = exitCodeOf(tool.name, content)
      tool.emit({
        type: 'tool_execution_end',
        toolCallId,
        toolName: tool.name,
        ...(exitCode !== undefined && { exitCode }),
        isError,
        result: { content },
      })
      tool.emit({
        type: 'tool_result',
        message: {
          role: 'toolResult',
          toolCallId,
          toolName: tool.name,
          content,
          ...(details !== undefined && { details }),
          isError,
        },
      })
    },
    /** The call that a question is about, by its name and input: the first that still runs. */
    callOf({ tool_name: name, input }: Fields): string | undefined {
      const wanted = JSON.stringify(input)
      for (const [id, tool] of running)
        if (tool.name === name && JSON.stringify(tool.input) === wanted) return id
      return undefined
    },
    /** Calls of the main thread that the turn’s end left without a result. */
    closeMain() {
      for (const [id, tool] of running) if (tool.isMain && !subagents.has(id)) interrupt(id, tool)
    },
    close() {
      for (const id of [...subagents]) endSubagent(id, undefined)
      for (const [id, tool] of running) interrupt(id, tool)
    },
  }
}

const wentToBackground = (content: readonly Block[], details: unknown): boolean => {
  const status = stringOf(fieldsOf(details).status)
  if (status !== undefined) return status === 'async_launched'
  return textOfBlocks(content).startsWith('Async agent launched')
}
