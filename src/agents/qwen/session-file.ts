import type { AgentEvent } from '../../events/types.ts'
import { countOf, type Fields, fieldsOf, isFields, stringOf } from '../../shared/fields.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { createQwenDecoder } from './decode.ts'
import { assistantLine, notificationLine, partsIn, resultLine, userLine } from './file-lines.ts'

/** Whether a line is from a session file. Lines of a stream have `session_id` instead. */
export const isQwenFileLine = (line: unknown): boolean =>
  isFields(line) &&
  lineTypes.has(line.type) &&
  [line.uuid, line.sessionId, line.timestamp].every((each) => typeof each === 'string')

const lineTypes: ReadonlySet<unknown> = new Set(['user', 'assistant', 'tool_result', 'system'])

/**
 * Reads the file in which Qwen Code stores a conversation. Its answers have their usage. The telemetry
 * beside them has it once more, and that of calls that no answer shows: it makes the totals.
 */
export const createQwenFileDecoder = (options: DecoderOptions = {}): Decoder => {
  const decoder = createQwenDecoder(options)
  const parts: FileParts = { decoder, session: {}, usage: new Map(), ...newRun }
  return {
    push: (line) =>
      isFields(line) && isQwenFileLine(line) ? decodeLine(parts, line) : decoder.push(line),
    end: () => [...endRun(parts), ...decoder.end()],
  }
}

interface FileParts extends RunState {
  readonly decoder: Decoder
  session: Fields
  /** Tokens of all model calls so far, by model. */
  readonly usage: Map<string, CallTokens>
}

interface CallTokens {
  prompt: number
  candidates: number
  cached: number
}

/** What tells how a run ended: no line of the file does. */
interface RunState {
  isOpen: boolean
  /** The run is over if nothing follows: the model has answered, and called no tool. */
  isAnswered: boolean
  /** A model call has succeeded whose answer did not come yet. */
  hasResponse: boolean
  /** The last model call has failed. */
  error: string | undefined
}

const newRun: RunState = {
  ...{ isOpen: false, isAnswered: false, hasResponse: false, error: undefined },
}

const decodeLine = (parts: FileParts, line: Fields): AgentEvent[] => {
  switch (line.type) {
    case 'user':
      return user(parts, line)
    case 'assistant':
      return assistant(parts, line)
    case 'tool_result':
      return [...begin(parts, line), ...parts.decoder.push(resultLine(line))]
    default:
      return system(parts, line)
  }
}

/** Starts a run, unless one is open, with what the line says about the session. */
const begin = (parts: FileParts, line: Fields): AgentEvent[] => {
  const session = {
    session_id: line.sessionId,
    cwd: line.cwd,
    qwen_code_version: line.version,
    model: stringOf(line.model) ?? parts.session.model,
  }
  const isSame = session.model === parts.session.model
  if (parts.isOpen && isSame) return []
  parts.isOpen = true
  parts.session = session
  return parts.decoder.push({ type: 'system', subtype: 'init', ...session })
}

const user = (parts: FileParts, line: Fields): AgentEvent[] => {
  const { decoder } = parts
  if (line.subtype === 'notification') {
    parts.isAnswered = false
    const notification = notificationLine(line)
    return [
      ...begin(parts, line),
      ...decoder.push(userLine(line)),
      ...(notification ? decoder.push(notification) : []),
    ]
  }
  // Without an answer, the process that worked on the last prompt was stopped.
  const isNext = line.subtype !== 'mid_turn_user_message'
  const before = isNext && parts.isOpen ? [...endRun(parts), ...decoder.end()] : []
  return [...before, ...begin(parts, line), ...decoder.push(userLine(line))]
}

const assistant = (parts: FileParts, line: Fields): AgentEvent[] => {
  const isCall = partsIn(line).some(({ functionCall }) => isFields(functionCall))
  // An answer that was stopped has no usage.
  const isWhole = parts.hasResponse || isFields(line.usageMetadata)
  parts.isAnswered = isWhole && !isCall
  parts.hasResponse = false
  parts.error = undefined
  return [...begin(parts, line), ...parts.decoder.push(assistantLine(line))]
}

const system = (parts: FileParts, line: Fields): AgentEvent[] => {
  const payload = fieldsOf(line.systemPayload)
  switch (line.subtype) {
    case 'ui_telemetry':
      telemetry(parts, fieldsOf(payload.uiEvent))
      return []
    case 'turn_result':
      return turnResult(parts, payload)
    case 'custom_title':
    case 'chat_compression':
      return parts.decoder.push({ type: 'system', subtype: line.subtype, data: payload })
    default:
      return skipped.has(line.subtype) ? [] : parts.decoder.push(line)
  }
}

/** What only Qwen Code needs, to go on with the conversation. */
const skipped: ReadonlySet<unknown> = new Set([
  'agent_bootstrap',
  'agent_launch_prompt',
  'agent_retry',
  'at_command',
  'attribution_snapshot',
  'branch_checkpoint',
  'file_history_snapshot',
  'goal_state',
  'parent_session',
  'rewind',
  'session_artifact_event',
  'session_artifact_snapshot',
  'session_model',
  'session_source',
  'slash_command',
  'user_text_elements',
])

const telemetry = (parts: FileParts, event: Fields) => {
  const isMain = event.subagent_name === undefined
  if (event['event.name'] === 'qwen-code.api_response') {
    count(parts, event)
    if (isMain) parts.hasResponse = true
  } else if (event['event.name'] === 'qwen-code.api_error' && isMain)
    parts.error = stringOf(event.error_message) ?? stringOf(event.error)
}

const count = ({ usage }: FileParts, event: Fields) => {
  const model = stringOf(event.model) ?? 'unknown'
  const before = usage.get(model) ?? { prompt: 0, candidates: 0, cached: 0 }
  usage.set(model, {
    prompt: before.prompt + (countOf(event.input_token_count) ?? 0),
    candidates: before.candidates + (countOf(event.output_token_count) ?? 0),
    cached: before.cached + (countOf(event.cached_content_token_count) ?? 0),
  })
}

const turnResult = (parts: FileParts, { state, error }: Fields): AgentEvent[] => {
  parts.isAnswered = state === 'completed'
  if (state === 'cancelled') parts.error = cancelled
  if (state === 'error') parts.error = stringOf(fieldsOf(error).message) ?? 'Qwen Code failed.'
  return endRun(parts)
}

/** What the stream says about a run that a person stopped. */
const cancelled = 'Operation cancelled.'

/** Reports the totals, and ends the run if the lines say how it ended. */
const endRun = (parts: FileParts): AgentEvent[] => {
  const { decoder, isOpen, isAnswered, error } = parts
  Object.assign(parts, newRun)
  if (!isOpen) return []
  const models = Object.fromEntries(
    [...parts.usage].map(([model, tokens]) => [model, { tokens }] as const),
  )
  if (isAnswered) return decoder.push({ type: 'result', stats: { models } })
  if (error !== undefined)
    return decoder.push({
      type: 'result',
      is_error: true,
      error: { message: error },
      stats: { models },
    })
  // After the last message, which has a part of them.
  const totals = { type: 'system', subtype: 'usage_totals', stats: { models } }
  return [...decoder.end(), ...decoder.push(totals)]
}
