import { interruptCall } from '../../events/missing-result.ts'
import { type Fields, fieldsOf, isFields, stringOf } from '../../shared/fields.ts'
import { type Emit, inside } from '../emit.ts'
import { freshOutput } from '../window.ts'
import type { TerminalOutput } from '../workspace.ts'
import type { AcpDialect } from './dialects.ts'
import type { Messages } from './messages.ts'
import { joinOutput, ownTerminalOutput } from './own-terminals.ts'
import type { Run } from './run.ts'
import type { AcpTerminals } from './terminals.ts'
import { callInput, callResult } from './tool-result.ts'
import { type ContentDiff, terminalsIn, toolText } from './wire.ts'

/**
 * The tool calls. A call is opened by the first line that names it: a `tool_call`, an update, or a
 * permission request. Its events start when its arguments are complete.
 */
export interface Tools {
  /** A `tool_call` or a `tool_call_update`, or the call in a permission request. */
  update(update: Fields, source: CallSource): void
  /** Another line arrives: calls whose arguments were still arriving have them all now. */
  nextLine(toolCallId: string | undefined): void
  /** The call as it is known so far. */
  callOf(toolCallId: string): AcpCall | undefined
  /** A person has rejected a call. Some agents do not report its end. */
  rejected(toolCallId: string): void
  /** The model goes on, so calls that were rejected are over. */
  endRejected(): void
  /** A person has allowed a call, with these arguments on the screen. */
  allowed(toolCallId: string, shown: unknown): void
  /** Whether a call that was allowed and is open matches. `use` counts once for each call. */
  takeAllowance(use: string, matches: (call: AcpCall, shown: unknown) => boolean): boolean
  /** The latest open call that matches. */
  findOpen(matches: (call: AcpCall) => boolean): AcpCall | undefined
  isAnyRunning(): boolean
  isAnyOpen(): boolean
  /** The run is over: ends all calls that are open. */
  close(): void
}

export type CallSource = 'call' | 'update' | 'permission'

export interface AcpCall {
  readonly id: string
  name: string
  /** The fields of all lines about the call, the latest ones last. */
  fields: Fields
  stage: 'held' | 'running' | 'ended'
  /** The output that the events show. */
  shownOutput: string
  /** What the agent’s own terminal has printed. */
  terminalOutput: string
  isRejected: boolean
  /** What a person saw when they allowed it, and for what it was used since. */
  allowance: { shown: unknown; uses: Set<string> } | undefined
  /** The ids of the terminals that it shows. */
  readonly terminals: Set<string>
  /** The files that Sluice has written for it. */
  readonly writes: ContentDiff[]
  parent: string | undefined
  emit: Emit
}

export interface ToolsOptions {
  emit: Emit
  run: Run
  messages: Pick<Messages, 'ensure' | 'call' | 'end'>
  dialect(): AcpDialect
  /** The terminals that the agent has created; absent if it cannot. */
  terminals?: Pick<AcpTerminals, 'output' | 'follow'> | undefined
}

export const createTools = (options: ToolsOptions): Tools => {
  const calls = new Map<string, AcpCall>()
  const subagents = createSubagents(options.emit)
  const open = () => [...calls.values()].filter(({ stage }) => stage !== 'ended')

  const start = (call: AcpCall) => {
    if (call.stage !== 'held') return
    const { id: toolCallId, name: toolName, emit, parent } = call
    const input = callInput(call.fields)
    if (parent === undefined) options.messages.call(toolCallId, toolName, input)
    else subagents.start(parent, calls.get(parent))
    call.stage = 'running'
    emit({ type: 'tool_call', toolCallId, toolName, input })
    emit({ type: 'tool_execution_start', toolCallId, toolName, args: input })
  }

  const end = (call: AcpCall, finish: (call: AcpCall) => void) => {
    start(call)
    subagents.end(call.id)
    call.stage = 'ended'
    finish(call)
  }

  const finish = (call: AcpCall) =>
    emitResult(
      call,
      [...call.terminals].flatMap((id) => options.terminals?.output(id) ?? []),
    )

  const close = () => {
    for (const call of open().reverse()) end(call, call.isRejected ? emitRejected : emitInterrupted)
    subagents.close()
  }

  return {
    update(update, source) {
      const id = stringOf(update.toolCallId)
      if (id === undefined) return
      const call = callFor(calls, id, update, options)
      if (call.stage === 'ended') return
      merge(call, update, options.dialect())
      const { status } = update
      if (isComplete(call, update, source, options.dialect())) start(call)
      else if (call.stage === 'held' && call.parent === undefined) options.messages.ensure()
      if (call.stage === 'running') followTerminals(call, options.terminals)
      printTo(call, ownTerminalOutput(update), start)
      if (status === 'completed' || status === 'failed') end(call, finish)
      else if (call.stage === 'running' && isOutput(update, source)) emitOutput(call, update)
    },
    nextLine(toolCallId) {
      if (options.dialect().inputUntil !== 'next_line') return
      for (const call of open())
        if (call.stage === 'held' && call.id !== toolCallId && hasInput(call.fields)) start(call)
    },
    callOf: (toolCallId) => calls.get(toolCallId),
    rejected(toolCallId) {
      const call = calls.get(toolCallId)
      if (call) call.isRejected = true
    },
    endRejected() {
      for (const call of open()) if (call.isRejected) end(call, emitRejected)
    },
    allowed(toolCallId, shown) {
      const call = calls.get(toolCallId)
      if (call) call.allowance = { shown, uses: new Set() }
    },
    takeAllowance: (use, matches) => takeAllowance(open(), use, matches),
    findOpen: (matches) => open().findLast(matches),
    isAnyRunning: () => open().some(({ stage }) => stage === 'running'),
    isAnyOpen: () => open().length > 0,
    close,
  }
}

const takeAllowance = (
  calls: readonly AcpCall[],
  use: string,
  matches: (call: AcpCall, shown: unknown) => boolean,
): boolean => {
  const found = calls.find(
    (call) =>
      call.allowance && !call.allowance.uses.has(use) && matches(call, call.allowance.shown),
  )
  found?.allowance?.uses.add(use)
  return found !== undefined
}

/** The call of a line. An id that is used again, after its call has ended, is another call. */
const callFor = (
  calls: Map<string, AcpCall>,
  id: string,
  update: Fields,
  { emit, run }: ToolsOptions,
): AcpCall => {
  const found = calls.get(id)
  if (found && (found.stage !== 'ended' || update.sessionUpdate !== 'tool_call')) return found
  run.ensure()
  const parent = stringOf(fieldsOf(fieldsOf(update._meta).claudeCode).parentToolUseId)
  const call: AcpCall = {
    ...{ id, name: 'tool', fields: {}, stage: 'held', shownOutput: '', isRejected: false },
    terminalOutput: '',
    ...{ allowance: undefined, terminals: new Set<string>(), writes: [] },
    parent,
    emit: inside(emit, parent),
  }
  calls.set(id, call)
  return call
}

/** Adds the fields of a line. What is absent or null stays. */
const merge = (call: AcpCall, update: Fields, dialect: AcpDialect) => {
  const added = Object.entries(update).filter(
    ([key, value]) => value !== null && value !== undefined && key !== '_meta',
  )
  const before = fieldsOf(call.fields._meta)
  const now = fieldsOf(update._meta)
  // The response of a tool comes in one line, and the end of the call in a later one.
  const claudeCode = { ...fieldsOf(before.claudeCode), ...fieldsOf(now.claudeCode) }
  const meta = { ...before, ...now, claudeCode }
  call.fields = { ...call.fields, ...Object.fromEntries(added), _meta: meta }
  if (call.stage !== 'held') return
  const named = stringOf(update.name) ?? dialect.toolName?.(update)
  if (named !== undefined) call.name = named
  else if (call.name === 'tool') call.name = stringOf(call.fields.kind) ?? call.name
}

/** Whether all arguments are known, so that the call can start. */
const isComplete = (
  { fields }: AcpCall,
  { status }: Fields,
  source: CallSource,
  { inputUntil }: AcpDialect,
): boolean =>
  source === 'permission' ||
  status === 'in_progress' ||
  status === 'completed' ||
  status === 'failed' ||
  (inputUntil === undefined && hasInput(fields))

const hasInput = ({ rawInput }: Fields): boolean =>
  isFields(rawInput) && Object.keys(rawInput).length > 0

/** Whether the content of an update is output. Before a call runs, it describes the call. */
const isOutput = (update: Fields, source: CallSource): boolean =>
  source === 'update' &&
  (update.status === 'in_progress' || (update.status === undefined && !('rawInput' in update)))

const emitOutput = (call: AcpCall, { content }: Fields) => {
  if (!Array.isArray(content)) return
  const now = toolText(content)
  const fresh = freshOutput(call.shownOutput, now)
  call.shownOutput = now
  emitDelta(call, fresh.text, fresh.gap)
}

const emitDelta = (
  { id: toolCallId, name: toolName, emit }: AcpCall,
  text: string,
  gap: boolean,
) => {
  if (text === '') return
  emit({
    type: 'tool_execution_update',
    toolCallId,
    toolName,
    outputDelta: text,
    ...(gap && { gap: true as const }),
  })
}

const printTo = (call: AcpCall, printed: string, start: (call: AcpCall) => void) => {
  if (printed === '') return
  start(call)
  call.terminalOutput = joinOutput(call.terminalOutput, printed)
  emitDelta(call, printed, false)
}

/** Shows the output of the terminals in the content of a call as its own. */
const followTerminals = (call: AcpCall, terminals: ToolsOptions['terminals']) => {
  for (const id of terminalsIn(call.fields.content)) {
    if (call.terminals.has(id)) continue
    call.terminals.add(id)
    terminals?.follow(id, (text, gap) => {
      if (call.stage === 'running') emitDelta(call, text, gap)
    })
  }
}

const emitResult = (call: AcpCall, shown: readonly TerminalOutput[] = []) => {
  const { end, result } = callResult(call, shown)
  call.emit(end)
  call.emit(result)
}

const emitInterrupted = ({ id: toolCallId, name: toolName, emit }: AcpCall) => {
  for (const event of interruptCall({ toolCallId, toolName })) emit(event)
}

const emitRejected = (call: AcpCall) => {
  call.fields = { status: 'failed', rawOutput: 'The call was rejected.' }
  emitResult(call)
}

/** The subagents that work, by the call that started them. */
const createSubagents = (emit: Emit) => {
  const working = new Set<string>()
  const end = (toolCallId: string) => {
    if (working.delete(toolCallId)) emit({ type: 'subagent_end', toolCallId })
  }
  return {
    start(toolCallId: string, call: AcpCall | undefined) {
      if (working.has(toolCallId) || call?.stage !== 'running') return
      working.add(toolCallId)
      const description = stringOf(call.fields.title)
      emit({
        type: 'subagent_start',
        toolCallId,
        ...(description !== undefined && { description }),
      })
    },
    end,
    close() {
      for (const toolCallId of [...working].reverse()) end(toolCallId)
    },
  }
}
