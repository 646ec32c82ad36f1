import { type Fields, fieldsOf, isFields, stringOf } from '../../shared/fields.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { createOpenCodeParts, type OpenCodeParts } from './parts.ts'
import { createOpenCodeRequests, type OpenCodeRequests } from './requests.ts'
import {
  createOpenCodeRetry,
  createSessionDetails,
  type OpenCodeRetry,
  type SessionDetailsTracker,
} from './session-lines.ts'
import { isAbort, reportedErrorOf } from './wire.ts'

interface ServeParts extends OpenCodeParts {
  readonly requests: OpenCodeRequests
  readonly retry: OpenCodeRetry
  readonly details: SessionDetailsTracker
  /** Sessions of subagents. */
  readonly children: Set<string>
}

/**
 * Reads the events of `opencode serve`, `GET /event`. The stream reports all sessions of the server:
 * the first one and its subagents are decoded, the lines of other sessions stay as they are.
 */
export const createServeDecoder = (options: DecoderOptions = {}): Decoder => {
  const shared = createOpenCodeParts(options, () => ({ stopReason: 'stop' }))
  const parts: ServeParts = {
    ...shared,
    requests: createOpenCodeRequests(shared.emit, shared.tools),
    retry: createOpenCodeRetry(shared.emit),
    details: createSessionDetails(),
    children: new Set(),
  }
  return {
    push(line) {
      if (isFields(line)) decodeLine(parts, line)
      else parts.raw(line)
      return parts.take()
    },
    end() {
      parts.requests.close('agent_gone')
      parts.close()
      parts.run.interrupt()
      return parts.take()
    },
  }
}

/** Whether `opencode serve` sends such an event. */
export const isServeLine = (line: unknown): boolean =>
  isFields(line) && typeof line.type === 'string' && isFields(line.properties)

const decodeLine = (parts: ServeParts, line: Fields) => {
  const properties = fieldsOf(line.properties)
  const sessionId = sessionOf(properties)
  if (sessionId !== undefined && !isOurs(parts, sessionId, line)) return parts.raw(line)
  const part = fieldsOf(properties.part)
  parts.messages.flush(stringOf(part.messageID))
  if (sessionId === undefined || sessionId === parts.sessionId()) return decodeMain(parts, line)
  return decodeChild(parts, line)
}

const sessionOf = (properties: Fields): string | undefined =>
  stringOf(properties.sessionID) ??
  stringOf(fieldsOf(properties.info).sessionID) ??
  stringOf(fieldsOf(properties.part).sessionID)

/** Whether a line is of the main session or of one of its subagents. The first session is the main one. */
const isOurs = (parts: ServeParts, sessionId: string, line: Fields): boolean => {
  parts.startSession(sessionId)
  const parent = stringOf(fieldsOf(fieldsOf(line.properties).info).parentID)
  const isSession = line.type === 'session.created' || line.type === 'session.updated'
  if (isSession && parent !== undefined && isFollowed(parts, parent)) parts.children.add(sessionId)
  return isFollowed(parts, sessionId)
}

const isFollowed = ({ sessionId, children }: ServeParts, id: string): boolean =>
  id === sessionId() || children.has(id)

/** A line of a subagent: only its messages and requests are shown. */
const decodeChild = (parts: ServeParts, line: Fields) => {
  const type = stringOf(line.type) ?? ''
  if (type.startsWith('session.') || type.startsWith('todo.')) return
  return decodeMain(parts, line)
}

const decodeMain = (parts: ServeParts, line: Fields) => {
  const properties = fieldsOf(line.properties)
  switch (line.type) {
    case 'message.part.delta':
      return parts.messages.delta(properties)
    case 'message.part.updated':
      return decodePart(parts, line)
    case 'message.updated':
      return parts.messages.message(fieldsOf(properties.info))
    case 'session.created':
    case 'session.updated':
      return decodeSession(parts, fieldsOf(properties.info))
    case 'session.status':
      return decodeStatus(parts, line, fieldsOf(properties.status))
    case 'session.idle':
      return endRun(parts)
    case 'session.error':
      return decodeError(parts, properties)
    case 'permission.asked':
      return parts.requests.permission(properties)
    case 'question.asked':
      return parts.requests.question(properties)
    case 'permission.replied':
      return parts.requests.answered(properties, properties.reply !== 'reject')
    case 'question.replied':
    case 'question.rejected':
      return parts.requests.answered(properties, line.type === 'question.replied')
    case 'todo.updated':
      return parts.todos(properties.todos)
    default:
      if (!isNoise(stringOf(line.type) ?? '')) parts.raw(line)
  }
}

const decodePart = (parts: ServeParts, line: Fields) => {
  const { part } = fieldsOf(line.properties)
  const fields = fieldsOf(part)
  if (fields.type !== 'retry') parts.retry.end()
  if (!parts.messages.part(fields)) parts.raw(line)
}

const decodeSession = ({ emit, details }: ServeParts, info: Fields) => {
  const event = details.changes(info)
  if (event) emit(event)
}

const decodeStatus = (parts: ServeParts, line: Fields, status: Fields) => {
  if (status.type === 'busy') parts.run.ensure()
  else if (status.type === 'retry') parts.retry.start(line, status)
  else if (status.type === 'idle') endRun(parts)
}

const decodeError = (parts: ServeParts, { error }: Fields) => {
  const reported = reportedErrorOf(error)
  // A second report of what has already ended the run.
  if (!parts.run.isOpen()) return
  parts.retry.end(isAbort(reported) ? undefined : reported.message)
  parts.messages.fail(reported)
}

/** `session.idle` says the same as the status before it, and both come twice after an error. */
const endRun = (parts: ServeParts) => {
  if (!parts.run.isOpen()) return
  parts.retry.end()
  parts.requests.close('cancelled')
  parts.close()
  parts.run.end()
}

/** Events about the server, its editor and its files, which no reader of a session needs. */
const isNoise = (type: string): boolean => noise.has(type) || noiseBefore.test(type)

const noise = new Set([
  'session.diff',
  'session.compacted',
  'session.deleted',
  'message.removed',
  'message.part.removed',
  'command.executed',
  'models-dev.refreshed',
])

const noiseBefore =
  /^(?:server|plugin|catalog|reference|integration|file|installation|lsp|mcp|project|pty|tui|vcs|workspace|worktree|global|ide|account|config)\./

/** The JSON of a `data:` line. Other fields of server-sent events, and comments, carry nothing. */
export const unwrapServeLine = (text: string): string | undefined => {
  if (text.startsWith('data:')) return text.slice('data:'.length).trim()
  return /^(?:event|id|retry|:)/.test(text) || text.trim() === '' ? '' : undefined
}
