import { interruptCall } from '../../events/missing-result.ts'
import type { Block } from '../../events/types.ts'
import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  numberOf,
  stringOf,
} from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { detailsWithDiff } from '../tool-calls/edit-diff.ts'
import { resultEvents } from '../tool-calls/result-events.ts'
import { toolKindOf } from '../tool-calls/tool-kind.ts'
import { freshOutput } from '../window.ts'
import { fileBlock, isRejection } from './wire.ts'

/** The tools of a stream, by the id of their part. */
export interface OpenCodeTools {
  /** A tool part in whatever state. `onCall` gets the call before its events. */
  part(part: Fields, emit: Emit, onCall: (call: OpenCodeCall) => void): OpenCodeCall
  /** The call with an id of the provider, the latest first. */
  find(callId: string | undefined): OpenCodeCall | undefined
  /** The running subagent whose session this is, or the latest one without a session. */
  subagentOf(sessionId: string): OpenCodeCall | undefined
  /** Interrupts the calls that run. */
  close(): void
}

/** A call as far as it came. */
export interface OpenCodeCall {
  readonly toolCallId: string
  readonly callId: string
  name: string
  input: unknown
  readonly emit: Emit
  /** Whether the arguments are complete. */
  hasInput: boolean
  stage: 'pending' | 'running' | 'ended'
  output: string
  /** The session of the subagent that the call started. */
  sessionId: string | undefined
  isSubagent: boolean
  /** Whether a person or a rule refused the call. */
  isRejected: boolean
}

/** `onTodos` gets the to-do list that a call has written. */
export const createOpenCodeTools = (onTodos: (items: unknown) => void): OpenCodeTools => {
  const calls = new Map<string, OpenCodeCall>()
  const used = new Set<string>()

  /** The provider’s id, or another one if it is used: some providers count from zero in each step. */
  const freeId = (callId: string): string => {
    let id = callId
    for (let number = 2; used.has(id); number += 1) id = `${callId}.${number}`
    used.add(id)
    return id
  }

  const open = (part: Fields, emit: Emit): OpenCodeCall => {
    const callId = stringOf(part.callID) ?? stringOf(part.id) ?? ''
    const call: OpenCodeCall = {
      ...{ callId, toolCallId: freeId(callId), emit, name: '', input: {}, output: '' },
      stage: 'pending',
      hasInput: false,
      sessionId: undefined,
      isSubagent: false,
      isRejected: false,
    }
    calls.set(stringOf(part.id) ?? callId, call)
    return call
  }

  return {
    part(part, emit, onCall) {
      const known = calls.get(stringOf(part.id) ?? stringOf(part.callID) ?? '')
      const call = known ?? open(part, emit)
      if (call.stage === 'ended') return call
      read(call, part)
      onCall(call)
      advance(call, fieldsOf(part.state))
      if (call.name === 'todowrite' && fieldsOf(part.state).status === 'completed')
        onTodos(fieldsOf(call.input).todos)
      return call
    },
    find: (callId) => [...calls.values()].findLast((call) => call.callId === callId),
    subagentOf(sessionId) {
      const running = [...calls.values()].filter(({ isSubagent }) => isSubagent)
      return (
        running.find((call) => call.sessionId === sessionId) ??
        running.findLast((call) => call.stage === 'running' && call.sessionId === undefined)
      )
    },
    close() {
      for (const call of calls.values()) interrupt(call)
    },
  }
}

const read = (call: OpenCodeCall, part: Fields) => {
  const state = fieldsOf(part.state)
  if (isFields(state.input)) call.input = state.input
  call.name = nameOf(part, state)
  call.sessionId ??= stringOf(fieldsOf(state.metadata).sessionId)
  call.hasInput ||= state.status !== 'pending'
}

const advance = (call: OpenCodeCall, state: Fields) => {
  if (!call.hasInput) return
  start(call)
  const output = stringOf(fieldsOf(state.metadata).output)
  if (state.status !== 'running') endCall(call, state)
  else if (output !== undefined) grow(call, output)
}

/** A call with an unknown tool or bad arguments runs as the tool `invalid`, which names the real one. */
const nameOf = ({ tool }: Fields, { input }: Fields): string => {
  const name = stringOf(tool) ?? 'unknown'
  return name === 'invalid' ? (stringOf(fieldsOf(input).tool) ?? name) : name
}

const start = (call: OpenCodeCall) => {
  if (call.stage !== 'pending') return
  call.stage = 'running'
  const { emit, toolCallId, name: toolName, input } = call
  emit({ type: 'tool_call', toolCallId, toolName, input })
  emit({ type: 'tool_execution_start', toolCallId, toolName, args: input })
  if (toolKindOf(toolName) !== 'subagent') return
  call.isSubagent = true
  const { subagent_type, description, prompt } = fieldsOf(input)
  emit({
    type: 'subagent_start',
    toolCallId,
    ...defined({
      kind: stringOf(subagent_type),
      description: stringOf(description),
      prompt: stringOf(prompt),
    }),
  })
}

/** Each update repeats the output so far. */
const grow = (call: OpenCodeCall, output: string) => {
  const fresh = freshOutput(call.output, output)
  call.output = output
  if (fresh.text === '') return
  call.emit({
    type: 'tool_execution_update',
    toolCallId: call.toolCallId,
    toolName: call.name,
    outputDelta: fresh.text,
    ...(fresh.gap && { gap: true as const }),
  })
}

const endCall = (call: OpenCodeCall, state: Fields) => {
  const { emit, toolCallId, name: toolName, input } = call
  const metadata = fieldsOf(state.metadata)
  const exitCode = numberOf(metadata.exit)
  const isInvalid = state.title === 'Invalid Tool'
  const isError = state.status === 'error' || isInvalid || (exitCode ?? 0) !== 0
  const content = contentOf(state)
  call.stage = 'ended'
  call.output = ''
  call.isRejected = isRejection(state)
  const details = detailsWithDiff({ toolName, args: input, details: detailsOf(metadata), isError })
  const durationMs = durationOf(fieldsOf(state.time))
  const ended = { toolCallId, toolName, content, isError, exitCode, durationMs, details }
  const { end, result } = resultEvents(ended)
  if (call.isSubagent) emit({ type: 'subagent_end', toolCallId, isError })
  emit({
    ...{ ...end, result: { content, ...defined({ details }) } },
    ...(metadata.interrupted === true && { interrupted: true }),
  })
  emit(result)
}

const contentOf = (state: Fields): Block[] => {
  const text = state.status === 'error' ? stringOf(state.error) : stringOf(state.output)
  const files = listOf(state.attachments).filter(isFields).map(fileBlock)
  return [...(text === undefined ? [] : [{ type: 'text' as const, text }]), ...files]
}

const durationOf = ({ start, end }: Fields): number | undefined => {
  const [from, to] = [countOf(start), countOf(end)]
  return from === undefined || to === undefined ? undefined : Math.max(0, to - from)
}

/** The details of a result, without what repeats its output or its diff. */
const detailsOf = (metadata: Fields): Fields | undefined => {
  const { output: _, preview: __, display: ___, filediff, ...rest } = metadata
  const { patch: ____, ...counts } = fieldsOf(filediff)
  const details = {
    ...rest,
    ...(filediff !== undefined && { filediff: counts }),
    // So that the diff of a new file can be made.
    ...(metadata.exists === false && { originalFile: null }),
  }
  return Object.keys(details).length > 0 ? details : undefined
}

const interrupt = (call: OpenCodeCall) => {
  if (call.stage !== 'running') return
  call.stage = 'ended'
  const { emit, toolCallId, name: toolName, isSubagent } = call
  if (isSubagent) emit({ type: 'subagent_end', toolCallId })
  for (const event of interruptCall({ toolCallId, toolName })) emit(event)
}
