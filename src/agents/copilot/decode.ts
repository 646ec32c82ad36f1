import type { SessionDetails } from '../../events/types.ts'
import { defined, type Fields, fieldsOf, isFields, stringOf } from '../../shared/fields.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { createEventQueue, type Emit } from '../emit.ts'
import { createPlainCalls, type PlainCalls } from '../plain-calls.ts'
import { createPlainRun, type PlainRun } from '../plain-run.ts'
import {
  type CopilotThread,
  createMessages,
  interrupted,
  type Messages,
  textBlockName,
  thinkingBlockName,
} from './messages.ts'
import { createRetryTracker, type RetryTracker } from './retry.ts'
import { errorOf, outcomeOfRun, type RunState } from './run.ts'
import { detailsOf, sessionEventsOf } from './session.ts'
import { createTools, type Tools } from './tools.ts'

/** The parts of a decoder: each follows one thing through the stream. */
interface CopilotParts {
  readonly emit: Emit
  hasStarted(): boolean
  readonly run: PlainRun
  readonly state: RunState
  readonly messages: Messages
  readonly calls: PlainCalls
  readonly tools: Tools
  readonly retry: RetryTracker
  /** The call of each subagent, by the id of the subagent. */
  readonly subagents: Map<string, string>
  isCompacting: boolean
}

/** Reads `copilot -p --output-format json`. */
export const createCopilotDecoder = (options: DecoderOptions = {}): Decoder => {
  const { emit, take, hasStarted } = createEventQueue('copilot')
  const retry = createRetryTracker(emit)
  const calls = createPlainCalls(emit)
  const scope = options.scope ?? ''
  const parts: CopilotParts = {
    ...{ emit, hasStarted, retry, calls },
    run: createPlainRun(emit),
    state: { isAborted: false, errorMessage: undefined },
    messages: createMessages({ scope, emit, onBegin: () => retry.end() }),
    tools: createTools(emit, calls),
    subagents: new Map(),
    isCompacting: false,
  }

  return {
    push(line) {
      if (isFields(line)) decodeLine(parts, line, fieldsOf(line.data))
      else emit({ type: 'raw', agent: 'copilot', line })
      return take()
    },
    end() {
      closeAll(parts)
      return take()
    },
  }
}

const closeAll = (parts: CopilotParts) => {
  const { emit, messages, calls, subagents, retry, run } = parts
  if (parts.isCompacting) emit({ type: 'compaction_end', aborted: true })
  parts.isCompacting = false
  messages.close(interrupted)
  calls.interrupt()
  for (const toolCallId of subagents.values()) emit({ type: 'subagent_end', toolCallId })
  subagents.clear()
  retry.end()
  run.close()
}

const decodeLine = (parts: CopilotParts, line: Fields, data: Fields) => {
  const { type } = line
  const thread = parts.messages.thread(parentOf(parts, line, data))
  if (typeof type !== 'string') return emitRaw(parts, line)
  if (type.startsWith('assistant.')) return decodeAssistant(parts, thread, line, data)
  if (type.startsWith('tool.')) return decodeTool(parts, thread, line, data)
  if (type === 'subagent.configured') return setModel(parts, thread, data.model)
  // The kind of agent that a prompt is for.
  if (type === 'subagent.selected' || type === 'subagent.deselected') return
  if (type.startsWith('subagent.')) return decodeSubagent(parts, line, data)
  switch (type) {
    case 'user.message':
      parts.run.act()
      return parts.messages.user(thread, line, data)
    case 'model.call_start':
    case 'session.tools_updated':
      return setModel(parts, thread, data.model)
    case 'session.model_change':
      return setModel(parts, thread, data.newModel)
    case 'session.start':
    case 'session.resume':
      emitDetails(parts, detailsOf(data))
      return setModel(parts, thread, data.selectedModel)
    case 'model.call_failure':
      return parts.retry.failed(data)
    case 'session.error':
      return sessionError(parts, thread, data)
    case 'abort':
      return abort(parts)
    case 'result':
      return result(parts, line)
    default:
      return decodeSession(parts, line, data)
  }
}

const emitRaw = ({ emit }: CopilotParts, line: Fields) =>
  emit({ type: 'raw', agent: 'copilot', line })

/** The call of the subagent that a line is from. */
const parentOf = ({ subagents }: CopilotParts, line: Fields, data: Fields): string | undefined =>
  stringOf(data.parentToolCallId) ?? subagents.get(stringOf(line.agentId) ?? '')

const emitDetails = ({ emit, hasStarted }: CopilotParts, details: SessionDetails) => {
  if (!hasStarted()) emit({ type: 'session_start', agent: 'copilot', ...details })
  else if (Object.keys(details).length > 0) emit({ type: 'session_update', ...details })
}

const setModel = (parts: CopilotParts, thread: CopilotThread, value: unknown) => {
  const model = stringOf(value)
  if (model === undefined || model === thread.model) return
  thread.model = model
  if (thread.parent === undefined) emitDetails(parts, { model })
}

const decodeAssistant = (
  parts: CopilotParts,
  thread: CopilotThread,
  line: Fields,
  data: Fields,
) => {
  const { messages, run } = parts
  switch (line.type) {
    case 'assistant.message_delta':
      return act(parts, thread).delta('text', textBlockName, stringOf(data.deltaContent) ?? '')
    case 'assistant.reasoning_delta':
      return act(parts, thread).delta(
        'thinking',
        thinkingBlockName,
        stringOf(data.deltaContent) ?? '',
      )
    case 'assistant.tool_call_delta':
      return toolCallDelta(parts, thread, data)
    case 'assistant.message_start':
      return void act(parts, thread)
    case 'assistant.message':
      run.act()
      return messages.whole(thread, line, data)
    case 'assistant.reasoning':
      return messages.reasoning(thread, data)
    case 'assistant.usage':
      return messages.usage(thread, data)
    case 'assistant.turn_start':
      return turnStart(parts, thread)
    case 'assistant.turn_end':
      return turnEnd(parts, thread)
    case 'assistant.turn_retry':
      messages.withdraw(thread)
      return parts.retry.start(data)
    case 'assistant.idle':
      return idle(parts, thread, data)
    default:
      return decodeSession(parts, line, data)
  }
}

/** The message in flight: the agent works on it. */
const act = ({ run, messages }: CopilotParts, thread: CopilotThread) => {
  run.act()
  return messages.begin(thread)
}

const toolCallDelta = (parts: CopilotParts, thread: CopilotThread, data: Fields) => {
  const toolCallId = stringOf(data.toolCallId)
  if (toolCallId === undefined) return
  const toolName = stringOf(data.toolName) ?? 'unknown'
  act(parts, thread).toolDelta(toolCallId, toolName, stringOf(data.inputDelta) ?? '')
}

const turnStart = ({ messages, run, state }: CopilotParts, thread: CopilotThread) => {
  messages.fail(thread, interrupted)
  thread.nextUsage = undefined
  if (thread.parent !== undefined) return run.act()
  state.errorMessage = undefined
  run.startTurn()
}

const turnEnd = ({ messages, run, state }: CopilotParts, thread: CopilotThread) => {
  messages.fail(thread, state.isAborted ? { reason: 'aborted' } : interrupted)
  if (thread.parent === undefined) run.endTurn(state.isAborted ? 'aborted' : undefined)
}

/** Copilot waits for input. The `result` line, which has the figures of the run, may still follow. */
const idle = ({ run, state }: CopilotParts, thread: CopilotThread, data: Fields) => {
  if (thread.parent !== undefined) return
  state.isAborted ||= data.aborted === true
  run.settle(outcomeOfRun(state))
}

const decodeTool = (parts: CopilotParts, thread: CopilotThread, line: Fields, data: Fields) => {
  const { tools, messages, run } = parts
  switch (line.type) {
    case 'tool.execution_start':
      messages.settle()
      run.act()
      return tools.start(data, thread.parent)
    case 'tool.shell_output':
      return tools.output(data)
    case 'tool.execution_partial_result':
      return tools.snapshot(data)
    case 'tool.execution_complete':
      run.act()
      return tools.end(data)
    default:
      return decodeSession(parts, line, data)
  }
}

const decodeSubagent = (parts: CopilotParts, line: Fields, data: Fields) => {
  const { emit, subagents, messages, run } = parts
  const toolCallId = stringOf(data.toolCallId)
  if (toolCallId === undefined) return emitRaw(parts, line)
  const agentId = stringOf(line.agentId) ?? toolCallId
  if (line.type === 'subagent.started') {
    run.act()
    subagents.set(agentId, toolCallId)
    const kind = stringOf(data.agentDisplayName) ?? stringOf(data.agentName)
    emit({ type: 'subagent_start', toolCallId, ...defined({ kind }) })
  } else if (line.type === 'subagent.completed' || line.type === 'subagent.failed') {
    messages.fail(messages.thread(toolCallId), interrupted)
    parts.calls.interrupt((parent) => parent === toolCallId)
    if (!subagents.delete(agentId)) return
    emit({ type: 'subagent_end', toolCallId, isError: line.type === 'subagent.failed' })
  } else emitRaw(parts, line)
}

const decodeSession = (parts: CopilotParts, line: Fields, data: Fields) => {
  const events = sessionEventsOf(line.type, data)
  if (!events) return emitRaw(parts, line)
  if (line.type === 'session.compaction_start') parts.isCompacting = true
  if (line.type === 'session.compaction_complete') parts.isCompacting = false
  events.forEach(parts.emit)
}

const sessionError = (parts: CopilotParts, thread: CopilotThread, data: Fields) => {
  const { messages, retry, run, state } = parts
  const errorMessage = errorOf(data)
  messages.fail(thread, { reason: 'error', errorMessage })
  retry.end(errorMessage)
  if (thread.parent !== undefined) return
  run.act()
  state.errorMessage = errorMessage
}

/** Calls that run may still return: they are not closed here. */
const abort = ({ state, messages, retry, run }: CopilotParts) => {
  run.act()
  state.isAborted = true
  messages.close({ reason: 'aborted' })
  retry.end('aborted')
}

const result = (parts: CopilotParts, line: Fields) => {
  const { run, state } = parts
  emitDetails(parts, detailsOf(line))
  run.act()
  run.settle(outcomeOfRun(state, line))
  closeAll(parts)
  state.isAborted = false
  state.errorMessage = undefined
}

/** Whether a line is from a stream only: session files have nothing that is ephemeral. */
export const isCopilotStreamLine = (line: unknown): boolean =>
  isFields(line) && (line.ephemeral === true || line.type === 'result')
