import type { AgentEvent } from '../../events/types.ts'
import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  flagOf,
  listOf,
  numberOf,
  stringOf,
  stringsOf,
} from '../../shared/fields.ts'
import { type CommandReply, quietMark } from '../live.ts'
import { usageOf } from './wire.ts'

/** Lines about the session rather than about a run; each is one event, or none. */
export const sessionInfo = (line: Fields): AgentEvent => ({
  type: 'session_update',
  ...defined({ name: stringOf(line.name) }),
})

export const thinkingLevel = (line: Fields): AgentEvent => ({
  type: 'session_update',
  ...defined({ thinkingLevel: stringOf(line.level) }),
})

/** Names of the tools that a system message adds. */
export const toolsAdded = (message: Fields): string[] =>
  stringsOf(listOf(message.toolsAdded).map((tool) => fieldsOf(tool).name))

export const queueUpdate = (line: Fields): AgentEvent => ({
  type: 'queue_update',
  queued: { steering: stringsOf(line.steering), followUp: stringsOf(line.followUp) },
})

export const compactionStart = (line: Fields): AgentEvent => ({
  type: 'compaction_start',
  ...defined({ reason: stringOf(line.reason) }),
})

export const compactionEnd = (line: Fields): AgentEvent => {
  const result = fieldsOf(line.result)
  return {
    type: 'compaction_end',
    ...defined({
      reason: stringOf(line.reason),
      summary: stringOf(result.summary),
      tokensBefore: countOf(result.tokensBefore),
      tokensAfter: countOf(result.estimatedTokensAfter),
      aborted: flagOf(line.aborted),
      errorMessage: stringOf(line.errorMessage),
      usage: usageOf(result.usage),
    }),
  }
}

export const retryStart = (line: Fields, source?: 'compaction'): AgentEvent => ({
  type: 'auto_retry_start',
  attempt: countOf(line.attempt) ?? 1,
  delayMs: countOf(line.delayMs) ?? 0,
  reason: stringOf(line.errorMessage) ?? stringOf(line.reason) ?? 'unknown',
  ...defined({ maxAttempts: countOf(line.maxAttempts), source }),
})

export const retryEnd = (line: Fields, source?: 'compaction'): AgentEvent => ({
  type: 'auto_retry_end',
  ...defined({
    success: flagOf(line.success),
    attempt: countOf(line.attempt),
    finalError: stringOf(line.finalError),
    source,
  }),
})

export const extensionError = (line: Fields): AgentEvent => ({
  type: 'error',
  code: 'extension_error',
  message: `${stringOf(line.event) ?? 'extension'}: ${stringOf(line.error) ?? 'failed'}`,
  fatal: false,
})

export const shellUpdate = (line: Fields): AgentEvent => ({
  type: 'session_update',
  shell: { id: idOf(line.id), outputDelta: stringOf(line.delta) ?? '' },
})

/** The reply that a response line is. */
export const replyOf = (line: Fields): CommandReply => ({
  id: idOf(line.id),
  ok: line.success === true,
  ...defined({ error: stringOf(line.error), data: line.data }),
})

/** Answers to RPC commands: most only matter to who asked. */
export const response = (line: Fields): AgentEvent[] => {
  const command = stringOf(line.command) ?? 'command'
  if (line.success === false && idOf(line.id).startsWith(quietMark)) return []
  if (line.success === false)
    return [
      {
        type: 'error',
        code: 'command_failed',
        message: `${command}: ${stringOf(line.error) ?? 'failed'}`,
        fatal: false,
      },
    ]
  const data = fieldsOf(line.data)
  if (command === 'get_state') return [state(data)]
  if (command === 'get_session_stats') return stats(fieldsOf(data.contextUsage))
  if (command === 'bash') return [shellEnd(line, data)]
  // No event tells of another model.
  if (command === 'set_model') return [{ type: 'session_update', ...modelIn(data) }]
  return []
}

const modelIn = (model: Fields) =>
  defined({ model: stringOf(model.id), contextWindow: countOf(model.contextWindow) })

const state = (data: Fields): AgentEvent => ({
  type: 'session_update',
  ...defined({ nativeId: stringOf(data.sessionId) }),
  ...modelIn(fieldsOf(data.model)),
  ...defined({ thinkingLevel: stringOf(data.thinkingLevel), name: stringOf(data.sessionName) }),
})

/** Its sums are not taken: they forget what was summed up, or count a former life. */
const stats = ({ tokens, contextWindow }: Fields): AgentEvent[] => {
  const said = defined({ contextTokens: countOf(tokens), contextWindow: countOf(contextWindow) })
  return Object.keys(said).length === 0 ? [] : [{ type: 'session_update', ...said }]
}

const shellEnd = (line: Fields, data: Fields): AgentEvent => ({
  type: 'session_update',
  shell: {
    id: idOf(line.id),
    ...defined({ exitCode: numberOf(data.exitCode), cancelled: flagOf(data.cancelled) }),
  },
})

/** Ids are echoed as they were sent, numbers too. */
const idOf = (id: unknown): string => (typeof id === 'number' ? String(id) : (stringOf(id) ?? ''))
