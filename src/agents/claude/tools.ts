import type { AgentEvent } from '../../events/event.ts'
import { type Fields, fieldsOf, flagOf, given, textOf } from '../wire.ts'
import { blocksOf, exitCodeOf, textOfBlocks } from './wire.ts'

interface Running {
  name: string
  parent: { parentToolCallId: string } | undefined
}

/** Tools that start an agent of their own; the name changed with 2.1.112. */
const isSubagent = (name: string) => name === 'Task' || name === 'Agent'

/**
 * Claude’s tools. Its stream has calls and results only: execution starts with the call and ends
 * with the result. A subagent that was sent into the background goes on after its call’s result.
 */
export const createTools = (
  emit: (event: AgentEvent) => void,
  closeThread: (toolCallId: string) => void,
) => {
  const running = new Map<string, Running>()
  const ended = new Set<string>()
  const subagents = new Set<string>()

  const call = (toolCallId: string, name: string, input: unknown, parentToolCallId?: string) => {
    const parent = parentToolCallId === undefined ? undefined : { parentToolCallId }
    running.set(toolCallId, { name, parent })
    ended.delete(toolCallId)
    emit({ type: 'tool_call', toolCallId, toolName: name, input, ...parent })
    emit({ type: 'tool_execution_start', toolCallId, toolName: name, args: input, ...parent })
    if (!isSubagent(name)) return
    const asked = fieldsOf(input)
    subagents.add(toolCallId)
    emit({
      type: 'subagent_start',
      toolCallId,
      ...given({
        kind: textOf(asked.subagent_type),
        description: textOf(asked.description),
        prompt: textOf(asked.prompt),
      }),
      ...parent,
    })
  }

  const endSubagent = (toolCallId: string, isError: boolean | undefined) => {
    if (!subagents.delete(toolCallId)) return
    closeThread(toolCallId)
    emit({ type: 'subagent_end', toolCallId, ...given({ isError }) })
  }

  const interrupt = (toolCallId: string, tool: Running) => {
    running.delete(toolCallId)
    ended.add(toolCallId)
    emit({
      type: 'tool_execution_end',
      toolCallId,
      toolName: tool.name,
      interrupted: true,
      ...tool.parent,
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
      const toolCallId = textOf(block.tool_use_id) ?? ''
      if (ended.has(toolCallId)) return
      if (!running.has(toolCallId)) call(toolCallId, 'unknown', {}, parentToolCallId)
      const tool = running.get(toolCallId)
      if (!tool) return
      const content = blocksOf(block.content)
      const isError = flagOf(block.is_error) ?? false
      if (!wentToBackground(block, details)) endSubagent(toolCallId, isError)
      running.delete(toolCallId)
      ended.add(toolCallId)
      emit({
        type: 'tool_execution_end',
        toolCallId,
        toolName: tool.name,
        ...given({ exitCode: exitCodeOf(tool.name, textOfBlocks(content)) }),
        isError,
        result: { content },
        ...tool.parent,
      })
      emit({
        type: 'tool_result',
        message: {
          role: 'toolResult',
          toolCallId,
          toolName: tool.name,
          content,
          ...given({ details }),
          isError,
        },
        ...tool.parent,
      })
    },
    /** Calls of the main thread that the turn’s end left without a result. */
    closeMain() {
      for (const [id, tool] of running) if (!tool.parent && !subagents.has(id)) interrupt(id, tool)
    },
    close() {
      for (const id of [...subagents]) endSubagent(id, undefined)
      for (const [id, tool] of running) interrupt(id, tool)
    },
  }
}

const wentToBackground = (block: Fields, details: unknown): boolean => {
  const status = textOf(fieldsOf(details).status)
  if (status !== undefined) return status === 'async_launched'
  return textOfBlocks(blocksOf(block.content)).startsWith('Async agent launched')
}
