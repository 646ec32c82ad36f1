import { defined, type Fields, fieldsOf, isFields, stringOf } from '../../shared/fields.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { createEventQueue, type EventQueue } from '../emit.ts'
import { createPlainCalls, type PlainCalls } from '../plain-calls.ts'
import { createPlainRun, type PlainRun } from '../plain-run.ts'
import { providerError } from '../provider-error.ts'
import { createGeminiMessages, type GeminiMessages } from './messages.ts'
import { durationOf, imagesOf, messageUsageOf, reportOf, resultOf, timeOf } from './wire.ts'

/** Reads Gemini CLI’s `stream-json`. */
export const createGeminiDecoder = ({ scope = '' }: DecoderOptions = {}): Decoder => {
  const queue = createEventQueue('gemini')
  const { emit, take } = queue
  const run = createPlainRun(emit)
  const parts: GeminiParts = {
    queue,
    run,
    calls: createPlainCalls(emit),
    messages: createGeminiMessages({ scope, emit, run, model: () => parts.model }),
    model: undefined,
    error: undefined,
  }

  return {
    push(line) {
      if (isFields(line)) decodeLine(parts, line)
      else emitRaw(parts, line)
      return take()
    },
    end() {
      parts.messages.finish({ reason: 'interrupted' })
      parts.calls.interrupt()
      run.close()
      return take()
    },
  }
}

/** Whether a line is from a stream. Messages of a session file have an id, and other types. */
export const isGeminiStreamLine = (line: unknown): boolean =>
  isFields(line) && line.id === undefined && streamTypes.has(line.type)

const streamTypes: ReadonlySet<unknown> = new Set([
  'init',
  'message',
  'tool_use',
  'tool_result',
  'error',
  'result',
])

interface GeminiParts {
  readonly queue: EventQueue
  readonly run: PlainRun
  readonly calls: PlainCalls
  readonly messages: GeminiMessages
  model: string | undefined
  /** The last error that it printed. A result that says only `error` means this one. */
  error: string | undefined
}

const emitRaw = ({ queue }: GeminiParts, line: unknown) =>
  queue.emit({ type: 'raw', agent: 'gemini', line })

const decodeLine = (parts: GeminiParts, line: Fields) => {
  switch (line.type) {
    case 'init':
      return init(parts, line)
    case 'message':
      return message(parts, line)
    case 'tool_use':
      return toolUse(parts, line)
    case 'tool_result':
      return toolResult(parts, line)
    case 'error':
      return notice(parts, line)
    case 'result':
      return result(parts, line)
    default:
      return emitRaw(parts, line)
  }
}

const init = (parts: GeminiParts, line: Fields) => {
  const { emit, hasStarted } = parts.queue
  parts.model = stringOf(line.model)
  const fields = defined({
    nativeId: stringOf(line.session_id),
    model: parts.model,
    cwd: stringOf(line.cwd) || undefined,
  })
  if (hasStarted()) emit({ type: 'session_update', ...fields })
  else emit({ type: 'session_start', agent: 'gemini', ...fields })
  parts.run.act()
}

const message = (parts: GeminiParts, line: Fields) => {
  const { messages } = parts
  const text = stringOf(line.content) ?? ''
  const nativeId = stringOf(line.id)
  if (line.role === 'user')
    messages.user([{ type: 'text', text }, ...imagesOf(line)], timeOf(line), nativeId)
  else if (line.role !== 'assistant') emitRaw(parts, line)
  else if (nativeId === undefined) messages.text(text, timeOf(line))
  else messages.record({ nativeId, text, ...recordedOf(line) }, timeOf(line))
}

/** What only a session file has of an answer. */
const recordedOf = (line: Fields) =>
  defined({ thoughts: stringOf(line.thoughts), usage: messageUsageOf(line.tokens) })

const toolUse = ({ messages, calls }: GeminiParts, line: Fields) => {
  const toolCallId = stringOf(line.tool_id) ?? ''
  const toolName = stringOf(line.tool_name) ?? 'unknown'
  const input = line.parameters ?? {}
  if (calls.isRepeated(toolCallId, toolName, input)) return
  messages.call({ toolCallId, toolName, input }, timeOf(line))
  calls.start(toolCallId, toolName, input)
}

const toolResult = ({ run, messages, calls }: GeminiParts, line: Fields) => {
  run.act()
  messages.finish()
  calls.end(stringOf(line.tool_id) ?? '', resultOf(line))
}

/** A warning, such as a loop that was detected, or the reason why the run will fail. */
const notice = (parts: GeminiParts, line: Fields) => {
  const text = stringOf(line.message) ?? ''
  const level = stringOf(line.severity) ?? 'error'
  parts.run.act()
  if (level === 'error') parts.error = text
  parts.queue.emit({ type: 'session_update', notice: { level, text } })
}

const result = (parts: GeminiParts, line: Fields) => {
  const { queue, run, messages, calls } = parts
  const errorMessage = line.status === 'success' ? undefined : errorOf(parts, line)
  run.act()
  messages.finish(errorMessage === undefined ? undefined : { reason: 'error', errorMessage })
  calls.interrupt()
  const reported = reportOf(line)
  if (reported) queue.emit({ type: 'session_update', reported })
  parts.error = undefined
  const stopReason = errorMessage === undefined ? 'stop' : 'error'
  run.end({ stopReason, ...defined({ errorMessage }), ...durationOf(line) })
}

/** Why the run failed. Its exit code says little: 0 comes with some failures. */
const errorOf = ({ error }: GeminiParts, line: Fields): string => {
  const text = stringOf(fieldsOf(line.error).message) ?? error
  return providerError(text ?? 'Gemini CLI failed.').errorMessage
}
