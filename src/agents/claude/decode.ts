import { type Fields, fieldsOf, isFields, stringOf } from '../../shared/fields.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { createEventQueue, type Emit } from '../emit.ts'
import { createCompactionTracker } from './compaction.ts'
import { decodeControlRequest, decodeControlResponse } from './control.ts'
import { createMessages } from './messages.ts'
import { type ClaudeParts, emitRaw, releaseOutput } from './parts.ts'
import { createPermissions } from './permissions.ts'
import { rateLimitUpdate } from './rate-limit-line.ts'
import { decodeResult, endWithoutResult } from './result.ts'
import { createRetryTracker, toolProgress } from './retry.ts'
import { createRun } from './run.ts'
import { createSessionTracker } from './session.ts'
import { decodeSystem } from './system.ts'
import { createTasks } from './tasks.ts'
import { createTools } from './tools.ts'
import { decodeUser } from './user.ts'
import { blocksOf, replyOf, textOfBlocks } from './wire.ts'

/** Reads Claude Code’s stream-json: with or without partial messages, one-shot or both ways. */
export const createClaudeDecoder = (options: DecoderOptions = {}): Decoder => {
  const { emit, take, hasStarted } = createEventQueue('claude')

  const parts = createParts(emit, hasStarted, options.scope ?? '')
  const decode = (line: unknown) => {
    if (!isFields(line)) return emitRaw(parts, line)
    if (parts.heldOutput && line.type !== 'user') releaseOutput(parts)
    decodeLine(parts, line)
    if (line.type === 'control_response') options.onReply?.(replyOf(line))
  }

  return {
    push(line) {
      // `--output-format json --verbose` prints all lines as one array.
      if (Array.isArray(line)) line.forEach(decode)
      else decode(line)
      return take()
    },
    end() {
      const { permissions, retry, messages, compaction, tools, tasks, run } = parts
      releaseOutput(parts)
      permissions.close()
      retry.end()
      messages.close()
      compaction.close()
      tools.close()
      tasks.close()
      run.close()
      return take()
    },
  }
}

const createParts = (emit: Emit, hasStarted: () => boolean, scope: string): ClaudeParts => {
  const retry = createRetryTracker(emit)
  const tasks = createTasks(emit)
  const { isDetached } = tasks
  const run = createRun(emit, isDetached)
  const tools = createTools({ emit, isDetached, closeThread: (id) => messages.closeThread(id) })
  const isInBackground = (id: string | undefined): boolean =>
    id !== undefined && (isDetached(id) || isInBackground(tools.parentOf(id)))
  const messages = createMessages({ scope, emit, run, tools, retry, isInBackground })
  return {
    ...{ emit, run, messages, tools, tasks, retry },
    session: createSessionTracker(emit, hasStarted),
    permissions: createPermissions(emit, tools.parentOf),
    compaction: createCompactionTracker(emit),
    isInterrupted: false,
    hasOutput: false,
    printedOutputs: new Set(),
    hasCompacted: false,
    heldOutput: undefined,
    heldAnswer: undefined,
  }
}

const decodeLine = (parts: ClaudeParts, line: Fields) => {
  switch (line.type) {
    case 'stream_event':
      return decodeStreamEvent(parts, line)
    case 'assistant':
      return decodeAssistant(parts, line)
    case 'user':
      return decodeUser(parts, line)
    case 'system':
      return decodeSystem(parts, line)
    case 'result':
      return decodeResult(parts, line)
    case 'control_request':
      return decodeControlRequest(parts, line)
    case 'control_response':
      return decodeControlResponse(parts, line)
    case 'control_cancel_request':
      return parts.permissions.cancel(stringOf(line.request_id) ?? '')
    // Only in session files.
    case 'cost-state':
      return void parts.session.report(costReport(line), true)
    case 'usage-report':
      return void parts.session.report(line, true)
    case 'conversation_reset':
      return parts.session.reset(line)
    case 'rate_limit_event':
      return decodeRateLimit(parts, line)
    case 'tool_progress':
      return decodeToolProgress(parts, line)
    case 'content_block_delta':
      return parts.messages.stream({ event: line })
    // Nothing that a reader needs.
    case 'command_lifecycle':
    case 'prompt_suggestion':
    case 'tool_use_summary':
    case 'keep_alive':
      return
    default:
      return emitRaw(parts, line)
  }
}

const decodeStreamEvent = (parts: ClaudeParts, line: Fields) => {
  parts.messages.stream(line)
  if (fieldsOf(line.event).type === 'message_stop') endWithoutResult(parts)
}

const decodeAssistant = (parts: ClaudeParts, line: Fields) => {
  const { compaction, retry, messages } = parts
  compaction.conversationContinues()
  compaction.note(line)
  parts.hasOutput = true
  if (line.local_command_source !== undefined) return holdOutput(parts, line)
  const isError = line.error !== undefined || line.is_api_error_message === true
  if (isError) retry.end(textOfBlocks(blocksOf(fieldsOf(line.message).content)))
  messages.assistant(line)
}

/** The output of a command waits for the echo of that command. */
const holdOutput = (parts: ClaudeParts, line: Fields) => {
  const id = stringOf(line.uuid)
  if (id !== undefined && parts.printedOutputs.has(id)) return
  if (id !== undefined) parts.printedOutputs.add(id)
  parts.heldOutput = () => parts.messages.assistant(line)
}

/** The sums of a session file, as a `result` line has them. */
const costReport = (line: Fields): Fields => ({
  total_cost_usd: line.totalCostUSD,
  modelUsage: line.modelUsage,
})

const decodeRateLimit = (parts: ClaudeParts, line: Fields) => {
  const event = rateLimitUpdate(line)
  if (event) parts.emit(event)
  else emitRaw(parts, line)
}

const decodeToolProgress = ({ emit }: ClaudeParts, line: Fields) => {
  const event = toolProgress(line)
  if (event) emit(event)
}
