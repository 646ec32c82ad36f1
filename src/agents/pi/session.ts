import type { AgentEvent } from '../../events/event.ts'
import {
  countOf,
  type Fields,
  fieldsOf,
  flagOf,
  given,
  listOf,
  numberOf,
  textOf,
  textsOf,
} from '../../shared/fields.ts'
import { quietMark, type Reply } from '../live.ts'
import { usageOf } from './wire.ts'

/** Lines about the session rather than about a run; each is one event, or none. */
export const sessionInfo = (line: Fields): AgentEvent => ({
  type: 'session_update',
  ...given({ name: textOf(line.name) }),
})

export const thinkingLevel = (line: Fields): AgentEvent => ({
  type: 'session_update',
  ...given({ thinkingLevel: textOf(line.level) }),
})

/** Names of the tools that a system message adds. */
export const toolsAdded = (message: Fields): string[] =>
  textsOf(listOf(message.toolsAdded).map((tool) => fieldsOf(tool).name))

export const queueUpdate = (line: Fields): AgentEvent => ({
  type: 'queue_update',
  queued: { steering: textsOf(line.steering), followUp: textsOf(line.followUp) },
})

export const compactionStart = (line: Fields): AgentEvent => ({
  type: 'compaction_start',
  ...given({ reason: textOf(line.reason) }),
})

export const compactionEnd = (line: Fields): AgentEvent => {
  const result = fieldsOf(line.result)
  return {
    type: 'compaction_end',
    ...given({
      reason: textOf(line.reason),
      summary: textOf(result.summary),
      tokensBefore: countOf(result.tokensBefore),
      tokensAfter: countOf(result.estimatedTokensAfter),
      aborted: flagOf(line.aborted),
      errorMessage: textOf(line.errorMessage),
      usage: usageOf(result.usage),
    }),
  }
}

export const retryStart = (line: Fields, source?: 'compaction'): AgentEvent => ({
  type: 'auto_retry_start',
  attempt: countOf(line.attempt) ?? 1,
  delayMs: countOf(line.delayMs) ?? 0,
  reason: textOf(line.errorMessage) ?? textOf(line.reason) ?? 'unknown',
  ...given({ maxAttempts: countOf(line.maxAttempts), source }),
})

export const retryEnd = (line: Fields, source?: 'compaction'): AgentEvent => ({
  type: 'auto_retry_end',
  ...given({
    success: flagOf(line.success),
    attempt: countOf(line.attempt),
    finalError: textOf(line.finalError),
    source,
  }),
})

export const extensionError = (line: Fields): AgentEvent => ({
  type: 'error',
  code: 'extension_error',
  message: `${textOf(line.event) ?? 'extension'}: ${textOf(line.error) ?? 'failed'}`,
  fatal: false,
})

export const shellUpdate = (line: Fields): AgentEvent => ({
  type: 'session_update',
  shell: { id: idOf(line.id), outputDelta: textOf(line.delta) ?? '' },
})

/** The reply that a response line is. */
export const replyOf = (line: Fields): Reply => ({
  id: idOf(line.id),
  ok: line.success === true,
  ...given({ error: textOf(line.error), data: line.data }),
})

/** Answers to RPC commands: most only matter to who asked. */
export const response = (line: Fields): AgentEvent[] => {
  const command = textOf(line.command) ?? 'command'
  if (line.success === false && idOf(line.id).startsWith(quietMark)) return []
  if (line.success === false)
    return [
      {
        type: 'error',
        code: 'command_failed',
        message: `${command}: ${textOf(line.error) ?? 'failed'}`,
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
  given({ model: textOf(model.id), contextWindow: countOf(model.contextWindow) })

const state = (data: Fields): AgentEvent => ({
  type: 'session_update',
  ...given({ nativeId: textOf(data.sessionId) }),
  ...modelIn(fieldsOf(data.model)),
  ...given({ thinkingLevel: textOf(data.thinkingLevel), name: textOf(data.sessionName) }),
})

/** Its sums are not taken: they forget what was summed up, or count a former life. */
const stats = ({ tokens, contextWindow }: Fields): AgentEvent[] => {
  const said = given({ contextTokens: countOf(tokens), contextWindow: countOf(contextWindow) })
  return Object.keys(said).length === 0 ? [] : [{ type: 'session_update', ...said }]
}

const shellEnd = (line: Fields, data: Fields): AgentEvent => ({
  type: 'session_update',
  shell: {
    id: idOf(line.id),
    ...given({ exitCode: numberOf(data.exitCode), cancelled: flagOf(data.cancelled) }),
  },
})

/** Ids are echoed as they were sent, numbers too. */
const idOf = (id: unknown): string => (typeof id === 'number' ? String(id) : (textOf(id) ?? ''))
