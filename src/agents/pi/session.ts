import type { AgentCommand, AgentEvent } from '../../events/types.ts'
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
import { agentCommandOf, agentCommands } from '../agent-commands.ts'
import { optionalRequestPrefix } from '../live.ts'
import { providerError } from '../provider-error.ts'
import { retryReasonOf } from '../retry-reason.ts'
import { idOf, usageOf } from './wire.ts'

/** The events of a line that is not about a run; `raw` if its type is unknown. */
export const sessionLineEvents = (line: Fields): AgentEvent[] => {
  switch (line.type) {
    case 'queue_update':
      return [queueUpdate(line)]
    case 'summarization_retry_scheduled':
      return [retryStartEvent(line, 'compaction')]
    case 'summarization_retry_finished':
      return [retryEndEvent(line, 'compaction')]
    case 'session_info_changed':
      return [{ type: 'session_update', ...defined({ name: stringOf(line.name) }) }]
    case 'thinking_level_changed':
      return [{ type: 'session_update', ...defined({ thinkingLevel: stringOf(line.level) }) }]
    case 'extension_error':
      return [extensionError(line)]
    // Nothing that a reader needs: the bookkeeping of Pi’s session file.
    case 'entry_appended':
    case 'summarization_retry_attempt_start':
      return []
    default:
      return [{ type: 'raw', agent: 'pi', line }]
  }
}

const queueUpdate = (line: Fields): AgentEvent => ({
  type: 'queue_update',
  queued: { steering: stringsOf(line.steering), followUp: stringsOf(line.followUp) },
})

const extensionError = (line: Fields): AgentEvent => ({
  type: 'error',
  code: 'extension_error',
  message: `${stringOf(line.event) ?? 'extension'}: ${stringOf(line.error) ?? 'failed'}`,
  fatal: false,
})

/** A shell command of a person has printed something. */
export const shellUpdate = (line: Fields): AgentEvent => ({
  type: 'session_update',
  shell: { id: idOf(line.id), outputDelta: stringOf(line.delta) ?? '' },
})

export const compactionStartEvent = (line: Fields): AgentEvent => ({
  type: 'compaction_start',
  ...defined({ reason: stringOf(line.reason) }),
})

export const compactionEndEvent = (line: Fields): AgentEvent => {
  const result = fieldsOf(line.result)
  return {
    type: 'compaction_end',
    ...defined({
      reason: stringOf(line.reason),
      summary: stringOf(result.summary),
      tokensBefore: countOf(result.tokensBefore),
      tokensAfter: countOf(result.estimatedTokensAfter),
      aborted: flagOf(line.aborted),
      errorMessage: plainError(line.errorMessage),
      usage: usageOf(result.usage),
    }),
  }
}

const plainError = (value: unknown): string | undefined => {
  const text = stringOf(value)
  return text === undefined ? undefined : providerError(text).errorMessage
}

export const retryStartEvent = (line: Fields, source?: 'compaction'): AgentEvent => ({
  type: 'auto_retry_start',
  attempt: countOf(line.attempt) ?? 1,
  delayMs: countOf(line.delayMs) ?? 0,
  ...retryReasonOf({ error: stringOf(line.errorMessage) ?? stringOf(line.reason) }),
  ...defined({ maxAttempts: countOf(line.maxAttempts), source }),
})

export const retryEndEvent = (line: Fields, source?: 'compaction'): AgentEvent => ({
  type: 'auto_retry_end',
  ...defined({
    success: flagOf(line.success),
    attempt: countOf(line.attempt),
    finalError: plainError(line.finalError),
    source,
  }),
})

/** The events of a `response` line. Most replies matter only to the sender of the command. */
export const responseEvents = (line: Fields): AgentEvent[] => {
  const command = stringOf(line.command) ?? 'command'
  if (line.success === false) return failedCommand(line, command)
  const data = fieldsOf(line.data)
  switch (command) {
    case 'get_state':
      return [stateUpdate(data)]
    case 'get_session_stats':
      return statsUpdate(fieldsOf(data.contextUsage))
    case 'get_messages':
      return keptMessages(listOf(data.messages).map(fieldsOf))
    case 'get_available_thinking_levels':
      return [{ type: 'session_update', thinkingLevels: stringsOf(data.levels) }]
    case 'get_commands':
      return [{ type: 'session_update', commands: commandsIn(data) }]
    // No event reports the change of the model.
    case 'set_model':
      return [{ type: 'session_update', ...modelFields(data) }]
    default:
      return []
  }
}

const commandsIn = (data: Fields): AgentCommand[] =>
  agentCommands(
    listOf(data.commands)
      .map(fieldsOf)
      .map((each) => agentCommandOf(each.source === 'skill' ? 'skill' : 'command', each)),
  )

const failedCommand = (line: Fields, command: string): AgentEvent[] => {
  const isOptional = idOf(line.id).startsWith(optionalRequestPrefix)
  // Versions that do not have a command reply without the id.
  if (isOptional || command === 'get_commands') return []
  const message = `${command}: ${stringOf(line.error) ?? 'failed'}`
  return [{ type: 'error', code: 'command_failed', message, fatal: false }]
}

const modelFields = (model: Fields) =>
  defined({ model: stringOf(model.id), contextWindow: countOf(model.contextWindow) })

const stateUpdate = (data: Fields): AgentEvent => ({
  type: 'session_update',
  ...defined({ nativeId: stringOf(data.sessionId) }),
  ...modelFields(fieldsOf(data.model)),
  ...defined({
    thinkingLevel: stringOf(data.thinkingLevel),
    autoCompaction: flagOf(data.autoCompactionEnabled),
    name: stringOf(data.sessionName),
  }),
})

/** Only the context is read: the sums leave out what was compacted, or count an earlier process. */
const statsUpdate = ({ tokens, contextWindow }: Fields): AgentEvent[] => {
  const context = defined({ contextTokens: countOf(tokens), contextWindow: countOf(contextWindow) })
  return Object.keys(context).length === 0 ? [] : [{ type: 'session_update', ...context }]
}

/** Pi’s context has the summary of the last compaction, then the messages that Pi kept. */
const keptMessages = (messages: readonly Fields[]): AgentEvent[] => {
  const at = messages.findLastIndex(({ role }) => role === 'compactionSummary')
  const summary = messages[at]
  const first = messages.slice(at + 1).find(({ role }) => role !== 'system')
  const timestamp = countOf(first?.timestamp)
  if (!summary || timestamp === undefined || timestamp > (countOf(summary.timestamp) ?? 0))
    return []
  return [
    {
      type: 'session_update',
      keptFrom: { ...defined({ role: stringOf(first?.role) }), timestamp },
    },
  ]
}

/** A shell command of a person has ended. Versions before 0.82 print its output only then. */
export const shellEnd = (line: Fields, isStreamed: boolean): AgentEvent => {
  const { output, exitCode, cancelled } = fieldsOf(line.data)
  return {
    type: 'session_update',
    shell: {
      id: idOf(line.id),
      ...defined({
        outputDelta: isStreamed ? undefined : stringOf(output) || undefined,
        exitCode: numberOf(exitCode),
        cancelled: flagOf(cancelled),
      }),
    },
  }
}
