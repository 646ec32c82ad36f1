import { interruptedCall } from '../../events/interrupted-call.ts'
import type { Block } from '../../events/types.ts'
import { defined, type Fields, fieldsOf, flagOf, stringOf } from '../../shared/fields.ts'
import { type Emit, inside } from '../emit.ts'
import { detailsWithDiff } from '../tool-calls/edit-diff.ts'
import { editReport } from './edit-report.ts'
import { type FailedResult, readFailedResult } from './tool-error.ts'
import { blocksOf, exitCodeOf, textOfBlocks } from './wire.ts'

/**
 * Claude’s tools. Its stream has calls and results only: a tool starts with its call and ends with
 * its result. A subagent that was sent to the background continues after the result of its call.
 */
export interface Tools {
  call(toolCallId: string, name: string, input: unknown, parentToolCallId?: string): void
  /** The result of a call. */
  result(block: Fields, line?: ResultLine): void
  /** A background subagent is done. One in the foreground ends with the result of its call. */
  endDetached(toolCallId: string, isError: boolean): void
  /** The call that a permission request of an old version (1.0) is about: the first with its input. */
  callOf(request: Fields): string | undefined
  /** The call that a call was made inside; undefined for one of the main thread. */
  parentOf(toolCallId: string | undefined): string | undefined
  /** The arguments of a call that runs, as the model gave them. */
  inputOf(toolCallId: string | undefined): unknown
  /** The turn is over: interrupts the calls that have no result, except those in the background. */
  closeTurn(): void
  /** Nothing more will come: interrupts all calls. */
  close(): void
}

/** What comes beside the result of a call. */
export interface ResultLine {
  /** The structured result. */
  details?: unknown
  /** In ms since 1970. */
  timestamp?: number | undefined
  parentToolCallId?: string | undefined
}

interface RunningTool {
  name: string
  input: unknown
  emit: Emit
  parent: string | undefined
}

/** Tools that start a subagent; the name changed with 2.1.112. */
const isSubagent = (name: string) => name === 'Task' || name === 'Agent'

export interface ToolsOptions {
  emit: Emit
  /** Ends the message of a subagent’s thread. */
  closeThread(toolCallId: string): void
  /** Whether the task that a call started works in the background. */
  isDetached(toolCallId: string): boolean
}

export const createTools = ({ emit, closeThread, isDetached }: ToolsOptions): Tools => {
  const running = new Map<string, RunningTool>()
  /** The calls that have ended, each with the call that it was made inside. */
  const ended = new Map<string, string | undefined>()
  const subagents = createSubagents(closeThread)

  const parentOf = (toolCallId: string | undefined) =>
    toolCallId && (running.get(toolCallId)?.parent ?? ended.get(toolCallId))

  /** Whether a thread works in the background: its own task does, or that of a thread around it. */
  const isDetachedThread = (toolCallId: string | undefined): boolean =>
    toolCallId !== undefined &&
    ((ended.has(toolCallId) && isDetached(toolCallId)) || isDetachedThread(parentOf(toolCallId)))

  const call = (toolCallId: string, name: string, input: unknown, parentToolCallId?: string) => {
    const emitCall = inside(emit, parentToolCallId)
    running.set(toolCallId, { name, input, emit: emitCall, parent: parentToolCallId })
    ended.delete(toolCallId)
    emitCall({ type: 'tool_call', toolCallId, toolName: name, input })
    emitCall({ type: 'tool_execution_start', toolCallId, toolName: name, args: input })
    if (isSubagent(name)) subagents.start(toolCallId, fieldsOf(input), emitCall)
  }

  const end = (toolCallId: string) => {
    ended.set(toolCallId, running.get(toolCallId)?.parent)
    running.delete(toolCallId)
  }

  const interrupt = (toolCallId: string, { name, emit }: RunningTool) => {
    end(toolCallId)
    for (const event of interruptedCall(toolCallId, name)) emit(event)
  }

  /** Ends calls and subagents from the inside out: what a subagent called, the subagent, its own call. */
  const interruptUnless = (isOpen: (thread: string | undefined) => boolean) => {
    for (const [id, tool] of [...running].reverse())
      if (tool.parent !== undefined && !isOpen(tool.parent)) interrupt(id, tool)
    subagents.closeUnless(isOpen)
    for (const [id, tool] of running) if (!isOpen(tool.parent)) interrupt(id, tool)
  }

  return {
    call,
    result(block, { details, timestamp, parentToolCallId } = {}) {
      const toolCallId = stringOf(block.tool_use_id) ?? ''
      if (ended.has(toolCallId)) return
      if (!running.has(toolCallId)) call(toolCallId, 'unknown', {}, parentToolCallId)
      const tool = running.get(toolCallId)
      if (!tool) return
      const isError = flagOf(block.is_error) ?? false
      const raw = blocksOf(block.content)
      const exitCode = exitCodeOf(tool.name, raw)
      const { content, isStopped } = isError ? readFailedResult(raw) : whole(raw)
      if (subagents.has(toolCallId) && !wentToBackground(content, details))
        subagents.end(toolCallId, isError)
      end(toolCallId)
      emitResult(tool, { toolCallId, content, details, isError, exitCode, isStopped, timestamp })
    },
    endDetached(toolCallId, isError) {
      if (!ended.has(toolCallId)) return
      for (const [id, tool] of running) if (tool.parent === toolCallId) interrupt(id, tool)
      subagents.end(toolCallId, isError)
    },
    inputOf: (toolCallId) => running.get(toolCallId ?? '')?.input,
    parentOf,
    callOf({ tool_name: name, input }) {
      const wanted = JSON.stringify(input)
      for (const [id, tool] of running)
        if (tool.name === name && JSON.stringify(tool.input) === wanted) return id
      return undefined
    },
    closeTurn() {
      interruptUnless(isDetachedThread)
    },
    close() {
      interruptUnless(() => false)
    },
  }
}

interface ToolResult {
  toolCallId: string
  content: Block[]
  details: unknown
  isError: boolean
  exitCode: number | undefined
  isStopped: boolean
  timestamp: number | undefined
}

const whole = (content: Block[]): FailedResult => ({ content, isStopped: false })

const emitResult = ({ name: toolName, input, emit }: RunningTool, result: ToolResult) => {
  const { toolCallId, content, isError, exitCode, isStopped, timestamp } = result
  const reported = result.details ?? editReport(toolName, input, content)
  const details = detailsWithDiff({ toolName, args: input, details: reported, isError })
  emit({
    type: 'tool_execution_end',
    toolCallId,
    toolName,
    ...(exitCode !== undefined && { exitCode }),
    isError,
    result: { content },
    ...(isStopped && { interrupted: true }),
  })
  emit({
    type: 'tool_result',
    message: {
      role: 'toolResult',
      toolCallId,
      toolName,
      content,
      ...(details !== undefined && { details }),
      isError,
      ...(timestamp !== undefined && { timestamp }),
    },
  })
}

/** The subagents that work, by the call that started them. */
const createSubagents = (closeThread: (toolCallId: string) => void) => {
  /** Each with the way to emit beside its call: a subagent can start another one. */
  const working = new Map<string, Emit>()

  const end = (toolCallId: string, isError: boolean | undefined) => {
    const emit = working.get(toolCallId)
    if (!emit) return
    working.delete(toolCallId)
    closeThread(toolCallId)
    emit({ type: 'subagent_end', toolCallId, ...defined({ isError }) })
  }

  return {
    has: (toolCallId: string) => working.has(toolCallId),
    start(toolCallId: string, input: Fields, emitCall: Emit) {
      working.set(toolCallId, emitCall)
      emitCall({
        type: 'subagent_start',
        toolCallId,
        ...defined({
          kind: stringOf(input.subagent_type),
          description: stringOf(input.description),
          prompt: stringOf(input.prompt),
        }),
      })
    },
    end,
    closeUnless(isOpen: (toolCallId: string) => boolean) {
      for (const id of [...working.keys()].reverse()) if (!isOpen(id)) end(id, undefined)
    },
  }
}

const wentToBackground = (content: readonly Block[], details: unknown): boolean => {
  const status = stringOf(fieldsOf(details).status)
  if (status !== undefined) return status === 'async_launched'
  return textOfBlocks(content).startsWith('Async agent launched')
}
