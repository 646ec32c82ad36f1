import { interruptCall } from '../events/missing-result.ts'
import { type Emit, inside } from './emit.ts'
import { detailsWithDiff } from './tool-calls/edit-diff.ts'
import { type EndedCall, resultEvents } from './tool-calls/result-events.ts'
import { type FreshOutput, freshOutput } from './window.ts'

/** The result of a call, as an agent prints it. */
export interface PlainResult extends Omit<EndedCall, 'toolCallId' | 'toolName'> {
  /** Used if the call was never announced. */
  toolName?: string | undefined
}

/** The calls of an agent that prints calls and results: a call starts at once and ends with its result. */
export interface PlainCalls {
  /** Starts a call. One that is open is not started again: other arguments replace it. */
  start(toolCallId: string, toolName: string, input: unknown, parentToolCallId?: string): void
  /** An open call printed something. */
  output(toolCallId: string, delta: string, hasGap?: boolean): void
  /** All that an open call printed so far, or the end of it. */
  snapshot(toolCallId: string, output: string): void
  /** Ends a call. One that was never announced starts here, too. */
  end(toolCallId: string, result: PlainResult, parentToolCallId?: string): void
  isOpen(toolCallId: string): boolean
  /** Whether that call is open: the agent repeats itself. */
  isRepeated(toolCallId: string, toolName: string, input: unknown): boolean
  /** The call that started last among the open ones of that tool. */
  latestOf(toolName: string): string | undefined
  /** The name of a call that is open or has ended. */
  nameOf(toolCallId: string): string | undefined
  /** Interrupts the calls that have no result: all, or those of one thread. */
  interrupt(isChosen?: (parentToolCallId: string | undefined) => boolean): void
}

interface OpenCall {
  toolName: string
  input: unknown
  parentToolCallId: string | undefined
  emit: Emit
  /** The last snapshot of its output. */
  printed: string
}

export const createPlainCalls = (emit: Emit): PlainCalls => {
  const open = new Map<string, OpenCall>()
  const names = new Map<string, string>()

  const isRepeated = (toolCallId: string, toolName: string, input: unknown): boolean => {
    const call = open.get(toolCallId)
    return call?.toolName === toolName && JSON.stringify(call.input) === JSON.stringify(input)
  }

  const interruptOpen = (toolCallId: string, call: OpenCall) => {
    open.delete(toolCallId)
    for (const event of interruptCall({ toolCallId, toolName: call.toolName })) call.emit(event)
  }

  const start = (toolCallId: string, toolName: string, input: unknown, parent?: string) => {
    if (isRepeated(toolCallId, toolName, input)) return
    const replaced = open.get(toolCallId)
    if (replaced) interruptOpen(toolCallId, replaced)
    const emitCall = inside(emit, parent)
    open.set(toolCallId, {
      ...{ toolName, input, parentToolCallId: parent, emit: emitCall, printed: '' },
    })
    names.set(toolCallId, toolName)
    emitCall({ type: 'tool_call', toolCallId, toolName, input })
    emitCall({ type: 'tool_execution_start', toolCallId, toolName, args: input })
  }

  return {
    start,
    isRepeated,
    output(toolCallId, delta, hasGap = false) {
      const call = open.get(toolCallId)
      if (call) emitOutput(toolCallId, call, { text: delta, gap: hasGap })
    },
    snapshot(toolCallId, output) {
      const call = open.get(toolCallId)
      if (!call) return
      emitOutput(toolCallId, call, freshOutput(call.printed, output))
      call.printed = output
    },
    end(toolCallId, result, parentToolCallId) {
      // The agent repeats a result that was reported before.
      if (names.has(toolCallId) && !open.has(toolCallId)) return
      if (!open.has(toolCallId))
        start(toolCallId, result.toolName ?? 'unknown', {}, parentToolCallId)
      const call = open.get(toolCallId)
      open.delete(toolCallId)
      if (call) emitResult(toolCallId, call, result)
    },
    isOpen: (toolCallId) => open.has(toolCallId),
    latestOf: (toolName) => [...open].findLast(([, call]) => call.toolName === toolName)?.[0],
    nameOf: (toolCallId) => names.get(toolCallId),
    interrupt(isChosen = () => true) {
      // The latest first: a call ends after those inside it.
      for (const [toolCallId, call] of [...open].toReversed())
        if (isChosen(call.parentToolCallId)) interruptOpen(toolCallId, call)
    },
  }
}

const emitOutput = (toolCallId: string, call: OpenCall, { text, gap }: FreshOutput) => {
  if (text === '') return
  const { toolName, emit } = call
  emit({
    type: 'tool_execution_update',
    ...{ toolCallId, toolName, outputDelta: text, ...(gap && { gap: true as const }) },
  })
}

const emitResult = (toolCallId: string, call: OpenCall, reported: PlainResult) => {
  const { toolName, input: args, emit } = call
  const { isError } = reported
  const details = detailsWithDiff({ toolName, args, details: reported.details, isError })
  const { end, result } = resultEvents({ ...reported, toolCallId, toolName, details })
  emit(end)
  emit(result)
}
