import { interruptCall } from '../../events/missing-result.ts'
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
  /** The calls that were interrupted. The agent may still report what they returned. */
  const cut = new Map<string, RunningTool>()
  const subagents = createSubagents(closeThread)

  const parentOf = (toolCallId = '') => running.get(toolCallId)?.parent ?? ended.get(toolCallId)

  /** Whether a thread works in the background: its own task does, or that of a thread around it. */
  const isDetachedThread = (toolCallId: string | undefined): boolean =>
    toolCallId !== undefined &&
    ((ended.has(toolCallId) && isDetached(toolCallId)) || isDetachedThread(parentOf(toolCallId)))

  const call = (toolCallId: string, name: string, input: unknown, thread?: string) => {
    const parent = isWithin(thread, toolCallId, parentOf) ? undefined : thread
    const emitCall = inside(emit, parent)
    // Its id is used again before its result has come.
    const before = running.get(toolCallId)
    if (before) interrupt(toolCallId, before)
    running.set(toolCallId, { name, input, emit: emitCall, parent })
    for (const over of [ended, cut]) over.delete(toolCallId)
    emitStart(emitCall, toolCallId, { name, input })
    if (isSubagent(name)) subagents.start(toolCallId, fieldsOf(input), emitCall)
  }

  const end = (toolCallId: string, { parent }: RunningTool) => {
    ended.set(toolCallId, parent)
    running.delete(toolCallId)
  }

  const interrupt = (toolCallId: string, tool: RunningTool) => {
    end(toolCallId, tool)
    cut.set(toolCallId, tool)
    for (const event of interruptCall({ toolCallId, toolName: tool.name })) tool.emit(event)
  }

  /** Interrupts the calls that a subagent has made, and the subagents in them. */
  const interruptInside = (toolCallId: string) => {
    for (const [id, tool] of running) {
      if (tool.parent !== toolCallId) continue
      interruptInside(id)
      subagents.end(id, undefined)
      interrupt(id, tool)
    }
  }

  return {
    call,
    result(block, line = {}) {
      const toolCallId = stringOf(block.tool_use_id) ?? ''
      const late = cut.get(toolCallId)
      if (ended.has(toolCallId) && !late) return
      if (!late && !running.has(toolCallId)) call(toolCallId, 'unknown', {}, line.parentToolCallId)
      const tool = late ?? running.get(toolCallId)
      if (!tool) return
      cut.delete(toolCallId)
      const result = readResult(toolCallId, tool, block, line)
      if (subagents.has(toolCallId) && !wentToBackground(result.content, result.details))
        subagents.end(toolCallId, result.isError)
      end(toolCallId, tool)
      if (!late) emitEnd(tool, result)
      // The events say already that it was stopped.
      if (!late || !result.isStopped) emitResult(tool, result)
    },
    endDetached(toolCallId, isError) {
      if (!ended.has(toolCallId)) return
      interruptInside(toolCallId)
      subagents.end(toolCallId, isError)
    },
    inputOf: (toolCallId) => running.get(toolCallId ?? '')?.input,
    parentOf,
    callOf: (request) => findCall(running, request),
    closeTurn() {
      subagents.closeUnless((id) => isDetachedThread(id))
      for (const [id, tool] of running) if (!isDetachedThread(tool.parent)) interrupt(id, tool)
    },
    close() {
      // Between runs, nothing may come from a subagent that has ended.
      for (const id of subagents.latestFirst()) if (isDetachedThread(id)) interruptInside(id)
      subagents.closeUnless(() => false)
      for (const [id, tool] of running) interrupt(id, tool)
    },
  }
}

/** Deeper calls are shown without the calls around them, so that following those takes bounded time. */
const maxDepth = 100

/** Whether a thread is that of a call, or one inside it, or too deep. No call is inside itself. */
const isWithin = (
  thread: string | undefined,
  toolCallId: string,
  parentOf: (id: string) => string | undefined,
): boolean => {
  let around = thread
  for (let depth = 0; around !== undefined; depth += 1) {
    if (around === toolCallId || depth >= maxDepth) return true
    around = parentOf(around)
  }
  return false
}

const findCall = (
  running: ReadonlyMap<string, RunningTool>,
  { tool_name: name, input }: Fields,
): string | undefined => {
  const wanted = JSON.stringify(input)
  for (const [id, tool] of running)
    if (tool.name === name && JSON.stringify(tool.input) === wanted) return id
  return undefined
}

interface ToolResult extends FailedResult {
  toolCallId: string
  details: unknown
  isError: boolean
  exitCode: number | undefined
  timestamp: number | undefined
}

const readResult = (
  toolCallId: string,
  { name }: RunningTool,
  block: Fields,
  { details, timestamp }: ResultLine,
): ToolResult => {
  const isError = flagOf(block.is_error) ?? false
  const raw = blocksOf(block.content)
  const exitCode = exitCodeOf(name, raw)
  const failed = isError ? readFailedResult(raw) : whole(raw)
  return { toolCallId, ...failed, details, isError, exitCode, timestamp }
}

const whole = (content: Block[]): FailedResult => ({ content, isStopped: false })

const emitStart = (
  emit: Emit,
  toolCallId: string,
  { name: toolName, input }: Pick<RunningTool, 'name' | 'input'>,
) => {
  emit({ type: 'tool_call', toolCallId, toolName, input })
  emit({ type: 'tool_execution_start', toolCallId, toolName, args: input })
}

const emitEnd = ({ name: toolName, emit }: RunningTool, result: ToolResult) => {
  const { toolCallId, content, isError, exitCode, isStopped } = result
  emit({
    type: 'tool_execution_end',
    toolCallId,
    toolName,
    ...(exitCode !== undefined && { exitCode }),
    isError,
    result: { content },
    ...(isStopped && { interrupted: true }),
  })
}

const emitResult = ({ name: toolName, input, emit }: RunningTool, result: ToolResult) => {
  const { toolCallId, content, isError, timestamp } = result
  const reported = result.details ?? editReport(toolName, input, content)
  const details = detailsWithDiff({ toolName, args: input, details: reported, isError })
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

  const latestFirst = () => [...working.keys()].reverse()

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
    latestFirst,
    closeUnless(isOpen: (toolCallId: string) => boolean) {
      for (const id of latestFirst()) if (!isOpen(id)) end(id, undefined)
    },
  }
}

const wentToBackground = (content: readonly Block[], details: unknown): boolean => {
  const status = stringOf(fieldsOf(details).status)
  if (status !== undefined) return status === 'async_launched'
  return textOfBlocks(content).startsWith('Async agent launched')
}
