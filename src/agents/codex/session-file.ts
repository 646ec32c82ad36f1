import type { AgentEvent } from '../../events/types.ts'
import { countOf, type Fields, fieldsOf, isFields, listOf, stringOf } from '../../shared/fields.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { type AppReader, createAppReader } from './app-server.ts'
import { appItemOf } from './file-items.ts'
import { createFileUsage, type FileUsage } from './file-usage.ts'
import { createOldRollout, type Notification, type OldRollout } from './old-rollout.ts'

/** Whether a line is from a session file, which Codex calls a rollout. */
export const isCodexFileLine = (line: unknown): boolean =>
  isFields(line) && isFields(line.payload) && stringOf(line.timestamp) !== undefined

/**
 * Reads the file in which Codex stores a thread. It has each message and each call twice: as the model
 * sees them, and as the items of the app-server. The items are read, as notifications of the app-server.
 */
export const createCodexFileDecoder = (options: DecoderOptions = {}): Decoder => {
  const reader = createAppReader({ ...options, isLive: false })
  const parts: FileParts = {
    reader,
    usage: createFileUsage(),
    old: createOldRollout(),
    settings: '',
    isTurnOpen: false,
  }
  return {
    push(line) {
      if (!isFields(line) || !decodeLine(parts, line)) reader.raw(line)
      return reader.take()
    },
    end(): AgentEvent[] {
      settleUsage(parts)
      notifyAll(parts, parts.old.end())
      reader.end()
      return reader.take()
    },
  }
}

interface FileParts {
  readonly reader: AppReader
  readonly usage: FileUsage
  readonly old: OldRollout
  /** The settings of the last turn, as JSON. They are written with each turn. */
  settings: string
  isTurnOpen: boolean
}

const notify = ({ reader }: FileParts, method: string, params: Fields) =>
  reader.notification(method, params, params)

const notifyAll = (parts: FileParts, notifications: readonly Notification[]) => {
  for (const [method, params] of notifications) notify(parts, method, params)
}

/** Decodes a line. False if it is unknown. */
const decodeLine = (parts: FileParts, line: Fields): boolean => {
  const payload = fieldsOf(line.payload)
  switch (line.type) {
    case 'session_meta':
      sessionMeta(parts, payload)
      return true
    case 'turn_context':
      settings(parts, payload)
      return true
    case 'token_usage_record':
      parts.usage.record(fieldsOf(payload.usage))
      return true
    case 'response_item':
      notifyAll(parts, parts.old.response(payload))
      plan(parts, payload)
      return true
    case 'event_msg':
      return decodeEvent(parts, payload)
    default:
      return skippedLines.has(line.type)
  }
}

/** What only Codex needs, to go on with the thread. */
const skippedLines: ReadonlySet<unknown> = new Set([
  'compacted',
  'inter_agent_communication',
  'inter_agent_communication_metadata',
  'security_risk_score',
  'world_state',
])

const decodeEvent = (parts: FileParts, payload: Fields): boolean => {
  switch (payload.type) {
    case 'task_started':
      taskStarted(parts, payload)
      return true
    case 'task_complete':
      taskComplete(parts, payload)
      return true
    case 'turn_aborted':
      endTurn(parts, { status: 'interrupted', durationMs: payload.duration_ms })
      return true
    case 'item_completed':
      itemCompleted(parts, payload)
      return true
    case 'token_count':
      tokenCount(parts, payload)
      return true
    default:
      return otherEvent(parts, payload)
  }
}

const otherEvent = (parts: FileParts, payload: Fields): boolean => {
  const made = parts.old.event(payload)
  if (!made) return skippedEvents.has(payload.type)
  // Only the counts of a call say that it is over: those of the last turn have come.
  if (payload.type === 'user_message') settleUsage(parts)
  notifyAll(parts, made)
  return true
}

const skippedEvents: ReadonlySet<unknown> = new Set([
  'thread_goal_updated',
  'thread_rolled_back',
  'thread_settings_applied',
])

const sessionMeta = (parts: FileParts, meta: Fields) => {
  // A fork also has the line of the thread that it was copied from.
  if (parts.reader.parts.session.id() !== undefined) return
  const { id, cwd, cli_version: cliVersion } = meta
  notify(parts, 'thread/started', { thread: { id, cwd, cliVersion } })
}

const settings = (parts: FileParts, context: Fields) => {
  const { model, effort, approval_policy: approvalPolicy, sandbox_policy: sandboxPolicy } = context
  const threadSettings = { model, effort, approvalPolicy, sandboxPolicy }
  const text = JSON.stringify(threadSettings)
  if (text === parts.settings) return
  parts.settings = text
  notify(parts, 'thread/settings/updated', { threadSettings })
}

const taskStarted = (parts: FileParts, { turn_id: id }: Fields) => {
  // The process that worked on the last turn has died.
  if (parts.isTurnOpen) {
    settleUsage(parts)
    notifyAll(parts, parts.old.end())
    parts.reader.end()
  }
  parts.isTurnOpen = true
  notify(parts, 'turn/started', { turn: { id } })
}

const taskComplete = (parts: FileParts, { error, duration_ms: durationMs }: Fields) =>
  endTurn(parts, {
    ...(isFields(error) ? { status: 'failed', error } : { status: 'completed' }),
    durationMs,
  })

const endTurn = (parts: FileParts, turn: Fields) => {
  settleUsage(parts)
  parts.isTurnOpen = false
  notify(parts, 'turn/completed', { turn })
}

const itemCompleted = (parts: FileParts, payload: Fields) => {
  parts.old.noteItem(fieldsOf(payload.item).id)
  const startedAtMs = countOf(payload.started_at_ms)
  const item: Fields = { ...appItemOf(fieldsOf(payload.item)), startedAtMs }
  if (item.type === 'contextCompaction') notify(parts, 'item/started', { item })
  notify(parts, 'item/completed', { item })
}

/** No item shows a to-do list: only the call of the model has it. */
const plan = (parts: FileParts, item: Fields) => {
  if (item.type !== 'function_call' || item.name !== 'update_plan') return
  const steps = listOf(jsonOf(item.arguments).plan).map(fieldsOf)
  notify(parts, 'turn/plan/updated', {
    plan: steps.map(({ step, status }) => ({
      step,
      status: status === 'in_progress' ? 'inProgress' : status,
    })),
  })
}

const jsonOf = (text: unknown): Fields => {
  try {
    return fieldsOf(JSON.parse(stringOf(text) ?? ''))
  } catch {
    return {}
  }
}

const tokenCount = (parts: FileParts, { info, rate_limits: limits }: Fields) => {
  if (isFields(info)) tokenUsage(parts, parts.usage.count(info))
  if (isFields(limits))
    notify(parts, 'account/rateLimits/updated', { rateLimits: limitsOf(limits) })
}

const limitsOf = ({ primary, secondary, rate_limit_reached_type: reached }: Fields): Fields => ({
  primary: windowOf(primary),
  secondary: windowOf(secondary),
  rateLimitReachedType: reached,
})

const windowOf = (value: unknown): Fields | null => {
  if (!isFields(value)) return null
  const { used_percent: usedPercent, window_minutes: windowDurationMins, resets_at } = value
  return { usedPercent, windowDurationMins, resetsAt: resets_at }
}

const tokenUsage = (parts: FileParts, usage: Fields) =>
  notify(parts, 'thread/tokenUsage/updated', { tokenUsage: usage })

/** Reports the usage of a call after which the process died, before the counts of the thread came. */
const settleUsage = (parts: FileParts) => {
  const usage = parts.usage.settle()
  if (usage) tokenUsage(parts, usage)
}
