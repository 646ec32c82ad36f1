import { type Fields, fieldsOf, isFields, listOf, stringOf } from '../../shared/fields.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { createEventQueue } from '../emit.ts'
import { createPlainCalls } from '../plain-calls.ts'
import { createPlainRun } from '../plain-run.ts'
import { createQwenMessages } from './messages.ts'
import { emitRaw, type QwenParts } from './parts.ts'
import { createQwenPermissions } from './permissions.ts'
import { decodeResult } from './result.ts'
import { createQwenRetry } from './retry.ts'
import { createQwenSubagents } from './subagents.ts'
import { decodeSystem } from './system.ts'
import { replyOf, resultOf, textBlocksOf } from './wire.ts'

/** What a Qwen Code decoder knows beside the lines. */
export interface QwenDecoderOptions extends DecoderOptions {
  /** The process resumes a conversation, whose counters go on. */
  isResumed?: boolean
}

/** Reads Qwen Code’s stream-json: with or without partial messages, one-shot or both ways. */
export const createQwenDecoder = (options: QwenDecoderOptions = {}): Decoder => {
  const parts = createParts(options)
  const { take } = parts.queue

  const decode = (line: unknown) => {
    if (!isFields(line)) return emitRaw(parts, line)
    decodeLine(parts, line)
    if (line.type === 'control_response') options.onReply?.(replyOf(line))
  }

  return {
    push(line) {
      // `--output-format json` prints all lines as one array.
      if (Array.isArray(line)) line.forEach(decode)
      else decode(line)
      return take()
    },
    end() {
      parts.permissions.close()
      parts.retry.end()
      parts.messages.close()
      parts.calls.interrupt()
      parts.subagents.close()
      parts.run.close()
      return take()
    },
  }
}

/** Whether a line is from a stream. Lines of a session file have `sessionId` instead. */
export const isQwenStreamLine = (line: unknown): boolean =>
  Array.isArray(line)
    ? line.some(isQwenStreamLine)
    : isFields(line) && line.sessionId === undefined && streamTypes.has(line.type)

const streamTypes: ReadonlySet<unknown> = new Set([
  'stream_event',
  'assistant',
  'user',
  'system',
  'result',
  'control_request',
  'control_response',
])

const createParts = (options: QwenDecoderOptions): QwenParts => {
  const { scope = '', isResumed = options.extra?.some(isResumption) ?? false } = options
  const queue = createEventQueue('qwen')
  const { emit } = queue
  const run = createPlainRun(emit)
  const calls = createPlainCalls(emit)
  const retry = createQwenRetry(emit)
  const subagents = createQwenSubagents(emit, (id) => messages.closeThread(id))
  const messages = createQwenMessages({
    ...{ scope, emit, run, calls, isInBackground: subagents.isInBackground },
    onAnswer() {
      retry.end()
      parts.resultsSinceAnswer = 0
    },
    onCall: (block, parent) => startCall(parts, block, parent),
  })
  const permissions = createQwenPermissions(emit)
  const parts: QwenParts = {
    ...{ queue, run, calls, retry, subagents, messages, permissions },
    session: {},
    isInterrupted: false,
    isResumed,
    resultsSinceAnswer: 0,
  }
  return parts
}

/** The flags that continue a conversation, whose counters have earlier usage in them. */
const isResumption = (flag: string): boolean =>
  /^(?:--continue|-c|--resume(?:=.*)?|-r.*)$/.test(flag)

const startCall = ({ calls, subagents }: QwenParts, block: Fields, parent: string | undefined) => {
  const id = stringOf(block.id) ?? ''
  const name = stringOf(block.name) ?? 'unknown'
  const input = block.input ?? {}
  calls.start(id, name, input, parent)
  if (name === 'agent' || name === 'task') subagents.start(id, fieldsOf(input), parent)
}

const decodeLine = (parts: QwenParts, line: Fields) => {
  switch (line.type) {
    case 'stream_event':
      return decodeStreamEvent(parts, line)
    case 'assistant':
      return parts.messages.assistant(line)
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
    default:
      return emitRaw(parts, line)
  }
}

const decodeStreamEvent = (parts: QwenParts, line: Fields) => {
  switch (fieldsOf(line.event).type) {
    // Nothing that a reader needs: what its own goals are, and that a tool still runs.
    case 'goal_state':
    case 'tool_progress':
      return
    default:
      return parts.messages.stream(line)
  }
}

const decodeUser = (parts: QwenParts, line: Fields) => {
  const { content } = fieldsOf(line.message)
  const written: unknown[] = typeof content === 'string' ? [{ type: 'text', text: content }] : []
  for (const item of listOf(content)) {
    if (fieldsOf(item).type === 'tool_result') toolResult(parts, line, fieldsOf(item))
    else written.push(item)
  }
  if (written.length > 0) parts.messages.user(line, textBlocksOf(written))
}

const toolResult = (parts: QwenParts, line: Fields, block: Fields) => {
  const { run, calls, messages, permissions, subagents } = parts
  const toolCallId = stringOf(block.tool_use_id) ?? ''
  const parent = stringOf(line.parent_tool_use_id)
  const result = resultOf(block, calls.nameOf(toolCallId))
  run.act()
  messages.settle(parent)
  permissions.answered(toolCallId)
  subagents.returned(toolCallId, stringOf(block.content) ?? '', result.isError)
  calls.end(toolCallId, result, parent)
  if (parent === undefined) parts.resultsSinceAnswer += 1
}

const decodeControlRequest = (parts: QwenParts, line: Fields) => {
  const request = fieldsOf(line.request)
  if (request.subtype === 'can_use_tool') {
    parts.run.act()
    return parts.permissions.request(stringOf(line.request_id) ?? '', request)
  }
  // Between the program and its host: not part of the conversation.
  if (request.subtype !== 'mcp_message' && request.subtype !== 'hook_callback') emitRaw(parts, line)
}

/** Only a refusal is an event. */
const decodeControlResponse = (parts: QwenParts, line: Fields) => {
  const { ok, error, data } = replyOf(line)
  if (fieldsOf(data).subtype === 'interrupt') parts.isInterrupted = parts.run.isOpen()
  if (ok) return
  const message = error ?? 'The control request failed.'
  parts.queue.emit({ type: 'error', code: 'command_failed', message, fatal: false })
}
