import { defined, type Fields, fieldsOf, flagOf, isFields, stringOf } from '../../shared/fields.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { createEventQueue, type Emit } from '../emit.ts'
import { createDialogs, type Dialogs } from './dialogs.ts'
import { createMessages, type Messages } from './messages.ts'
import { createRun, type Run } from './run.ts'
import {
  compactionEndEvent,
  compactionStartEvent,
  responseEvents,
  retryEndEvent,
  retryStartEvent,
  sessionLineEvents,
  shellEnd,
  shellUpdate,
} from './session.ts'
import { createTools, type Tools } from './tools.ts'
import { idOf, replyOf, usageOf } from './wire.ts'

/** The parts of a decoder: each follows one thing through the stream. */
interface PiParts {
  readonly emit: Emit
  hasStarted(): boolean
  readonly run: Run
  readonly tools: Tools
  readonly messages: Messages
  readonly dialogs: Dialogs
  isCompacting: boolean
  /** Ids of the shell commands whose output was printed while they ran. */
  readonly streamedShells: Set<string>
}

/** Reads Pi’s print mode, RPC mode and SDK events, in every dialect since 0.51. */
export const createPiDecoder = (options: DecoderOptions = {}): Decoder => {
  const { emit, take, hasStarted } = createEventQueue('pi')

  const run = createRun(emit)
  const dialogs = createDialogs(emit)
  const tools = createTools(emit, dialogs.answered)
  const messages = createMessages(options.scope ?? '', emit, run, tools)
  const parts: PiParts = {
    ...{ emit, run, tools, messages, dialogs },
    hasStarted,
    isCompacting: false,
    streamedShells: new Set(),
  }

  return {
    push(line) {
      if (isFields(line)) decodeLine(parts, line)
      else emit({ type: 'raw', agent: 'pi', line })
      if (isFields(line) && line.type === 'response') options.onReply?.(replyOf(line))
      return take()
    },
    end() {
      dialogs.close()
      if (parts.isCompacting) emit({ type: 'compaction_end', aborted: true })
      closeAttempt(parts)
      run.close()
      return take()
    },
  }
}

const decodeLine = (parts: PiParts, line: Fields) => {
  const { emit, run, messages, tools } = parts
  switch (line.type) {
    case 'message_update':
      return messages.update(line)
    case 'message_start':
      return messages.start(fieldsOf(line.message))
    case 'message_end':
      return messages.end(fieldsOf(line.message))
    case 'tool_execution_start':
      run.ensure()
      return tools.start(line)
    case 'tool_execution_update':
      run.ensure()
      return tools.update(line)
    case 'tool_execution_end':
      run.ensure()
      return tools.end(line)
    case 'turn_start':
      return run.startTurn()
    case 'turn_end':
      return turnEnd(parts, line)
    case 'agent_start':
      return run.start()
    case 'agent_end':
      return attemptEnd(parts, line)
    case 'agent_settled':
      return settled(parts, line)
    case 'auto_retry_start':
      return retryStart(parts, line)
    case 'auto_retry_end':
      return retryEnd(parts, line)
    case 'compaction_start':
      return compactionStart(parts, line)
    case 'compaction_end':
      return compactionEnd(parts, line)
    case 'session':
      return header(parts, line)
    case 'extension_ui_request':
      return parts.dialogs.request(line, tools.latest())
    case 'response':
      return response(parts, line)
    case 'bash_execution_update':
      parts.streamedShells.add(idOf(line.id))
      return emit(shellUpdate(line))
    default:
      return sessionLineEvents(line).forEach(emit)
  }
}

const header = ({ emit, hasStarted }: PiParts, line: Fields) => {
  const fields = defined({ nativeId: stringOf(line.id), cwd: stringOf(line.cwd) })
  if (hasStarted()) emit({ type: 'session_update', ...fields })
  else emit({ type: 'session_start', agent: 'pi', ...fields })
}

/** Nothing of an attempt outlives it, even if the agent lost the closing lines. */
const closeAttempt = ({ messages, tools }: PiParts) => {
  messages.close()
  tools.close()
}

const attemptEnd = (parts: PiParts, line: Fields) => {
  closeAttempt(parts)
  parts.run.endAttempt(flagOf(line.willRetry))
}

const settled = (parts: PiParts, line: Fields) => {
  closeAttempt(parts)
  parts.run.settle(flagOf(line.aborted))
}

const turnEnd = ({ run }: PiParts, line: Fields) => {
  const message = fieldsOf(line.message)
  run.endTurn({
    type: 'turn_end',
    ...defined({ stopReason: stringOf(message.stopReason), usage: usageOf(message.usage) }),
  })
}

const retryStart = ({ emit, run, messages }: PiParts, line: Fields) => {
  run.willContinue()
  emit(retryStartEvent(line))
  messages.withdrawFailed()
}

const retryEnd = ({ emit, run }: PiParts, line: Fields) => {
  emit(retryEndEvent(line))
  if (line.success === false) run.giveUp()
}

const compactionStart = (parts: PiParts, line: Fields) => {
  parts.isCompacting = true
  parts.emit(compactionStartEvent(line))
}

const compactionEnd = (parts: PiParts, line: Fields) => {
  const { emit, run, messages } = parts
  parts.isCompacting = false
  emit(compactionEndEvent(line))
  if (flagOf(line.willRetry)) {
    run.willContinue()
    messages.withdrawFailed()
  } else run.giveUp()
}

const reportState = (run: Run, data: Fields) => {
  if (data.isStreaming === false && data.isCompacting !== true) run.idle()
}

const response = ({ emit, run, streamedShells }: PiParts, line: Fields) => {
  // Before what ends the run: the end is its last event.
  if (line.command === 'bash' && line.success !== false)
    emit(shellEnd(line, streamedShells.delete(idOf(line.id))))
  else responseEvents(line).forEach(emit)
  if (line.command === 'get_state') reportState(run, fieldsOf(line.data))
  else if (!duringRuns.has(stringOf(line.command) ?? '')) run.giveUp()
}

/** What Sluice sends in the middle of a run, too. It sends other commands only when a run is over. */
const duringRuns: ReadonlySet<string> = new Set([
  'get_session_stats',
  'get_messages',
  'get_commands',
  'get_available_thinking_levels',
  'set_thinking_level',
  'set_auto_compaction',
  'set_auto_retry',
  'bash',
  'abort_bash',
])
