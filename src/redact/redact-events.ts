import type { AgentEvent, AssistantMessageEvent } from '../events/types.ts'
import { findSecrets, type RedactOptions, rulesFor } from './redact-text.ts'
import { type RedactedBlob, redactValue, type ValueRedactor } from './redact-value.ts'
import { replaceRanges } from './secret-range.ts'
import { createStreamPlan, type StreamPlan } from './stream-plan.ts'

export interface EventRedactorOptions extends RedactOptions {
  /** What replaces a blob, by the hash of the old one. */
  blob?: (hash: string) => RedactedBlob | undefined
  /** True: images stay. They are replaced by a grey pixel otherwise. */
  keepImages?: boolean
}

/**
 * Redacts the events of a session in two passes: a key can begin in one `message_update` and end in the
 * next, so all events are inspected before the first is redacted. The results are valid events.
 */
export interface EventRedactor {
  /** First pass: every event, in order. */
  inspect(event: AgentEvent): void
  /** Second pass: every event again, in order. Returns it without secrets, in the same shape. */
  redact(event: AgentEvent): object
  /** A value that is no event, such as the content of a blob. */
  value(value: unknown): unknown
  text(text: string): string
}

export const createEventRedactor = (options: EventRedactorOptions = {}): EventRedactor => {
  const rules = rulesFor(options)
  const { blob = () => undefined, keepImages = false } = options
  const redactor: ValueRedactor = {
    text: (text) => replaceRanges(text, findSecrets(text, rules)),
    blob,
    keepImages,
  }
  const free: ValueRedactor = { ...redactor, isFree: true }
  const plan = createStreamPlan({ rules, redactJson: (text) => redactJson(text, free) })
  let isPlanned = false

  return {
    inspect: (event) => inspect(event, plan),
    redact(event) {
      if (!isPlanned) plan.finishAll()
      isPlanned = true
      return redactEvent(event, plan, redactor)
    },
    value: (value) => redactValue(value, free),
    text: redactor.text,
  }
}

/** The redacted JSON; undefined if the text is no JSON, or if nothing in it changes. */
const redactJson = (text: string, redactor: ValueRedactor): string | undefined => {
  const value = parsed(text)
  if (value === undefined) return undefined
  const before = JSON.stringify(value)
  const after = JSON.stringify(redactValue(value, redactor))
  return after === before && redactor.text(text) === text ? undefined : after
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A piece of a text that comes in several events. */
interface Piece {
  key: string
  text: string
  isJson?: boolean
}

const pieceOf = (event: AgentEvent): Piece | undefined => {
  if (event.type === 'message_update')
    return pieceOfUpdate(event.messageId, event.assistantMessageEvent)
  // The text of a blob is redacted with the blob.
  if (event.type === 'tool_execution_update' && event.blob === undefined)
    return { key: `tool ${event.toolCallId}`, text: event.outputDelta }
  const shell = event.type === 'session_update' ? event.shell : undefined
  if (shell?.outputDelta !== undefined && shell.blob === undefined)
    return { key: `shell ${shell.id}`, text: shell.outputDelta }
  return undefined
}

const pieceOfUpdate = (messageId: string, update: AssistantMessageEvent): Piece | undefined => {
  switch (update.type) {
    case 'text_delta':
    case 'thinking_delta':
      return { key: blockKey(messageId, update.contentIndex), text: update.delta }
    case 'tool_use_input_delta':
      return {
        ...{ key: blockKey(messageId, update.contentIndex), isJson: true },
        text: update.partialInput,
      }
    default:
      return undefined
  }
}

const blockKey = (messageId: string, contentIndex: number) => `message ${contentIndex} ${messageId}`

/** The text that an event completes. */
const finishedBy = (event: AgentEvent): string | undefined => {
  if (event.type === 'tool_execution_end') return `tool ${event.toolCallId}`
  if (event.type === 'tool_execution_update' && event.blob) return `tool ${event.toolCallId}`
  if (event.type !== 'message_update') return undefined
  const { assistantMessageEvent: update } = event
  return 'contentIndex' in update ? blockKey(event.messageId, update.contentIndex) : undefined
}

const inspect = (event: AgentEvent, plan: StreamPlan): void => {
  const piece = pieceOf(event)
  const key = finishedBy(event)
  if (piece) plan.add(piece.key, piece.text, piece.isJson)
  else if (key !== undefined) plan.finish(key)
}

const redactEvent = (event: AgentEvent, plan: StreamPlan, redactor: ValueRedactor): object => {
  const piece = pieceOf(event)
  if (!piece) return redactFields(event, redactor)
  const text = plan.replace(piece.key, piece.text)
  if (event.type === 'message_update')
    return { ...event, assistantMessageEvent: withText(event.assistantMessageEvent, text) }
  if (event.type === 'tool_execution_update') return { ...event, outputDelta: text }
  if (event.type !== 'session_update') return event
  const { shell, ...fields } = event
  return { ...redactFields(fields, redactor), shell: { ...shell, outputDelta: text } }
}

const withText = (update: AssistantMessageEvent, text: string): AssistantMessageEvent => {
  if ('delta' in update) return { ...update, delta: text }
  return 'partialInput' in update ? { ...update, partialInput: text } : update
}

/** Ids and names that readers match. They stay as they are. */
const kept = new Set([
  ...['type', 'sessionId', 'seq', 'timestamp', 'agent', 'messageId', 'commandId', 'approvalId'],
  ...['toolCallId', 'parentToolCallId', 'toolName', 'nativeId', 'kind', 'messageRole', 'model'],
])

/** The hash of an approval request would still confirm a guess of what was hidden. */
const dropped = new Set(['hash'])

const redactFields = (event: object, redactor: ValueRedactor): object => {
  const entries = Object.entries(event).filter(([name]) => !dropped.has(name))
  const fixed = Object.fromEntries(entries.filter(([name]) => kept.has(name)))
  const rest = Object.fromEntries(entries.filter(([name]) => !kept.has(name)))
  return { ...fixed, ...Object(redactValue(rest, redactor)) }
}
