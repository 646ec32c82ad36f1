import type { AgentEvent, Usage } from '../../events/types.ts'
import { countOf, defined, type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'
import { usageOf } from './wire.ts'

/** The events of the lines about the session; undefined if the line is not about it. */
export const sessionEventsOf = (type: unknown, data: Fields): AgentEvent[] | undefined => {
  switch (type) {
    case 'session.usage_info':
      return contextUpdate(data.currentTokens, data.tokenLimit)
    case 'session.usage_totals':
      return update({ reported: { counts: 'conversation', byModel: totalsOf(data) } })
    case 'session.title_changed':
      return update(defined({ name: stringOf(data.title) }))
    case 'session.warning':
      return notice('warning', data.message)
    case 'session.info':
      return infosOfOtherEvents.has(data.infoType) ? [] : notice('info', data.message)
    case 'session.compaction_start':
      return [{ type: 'compaction_start', ...defined({ reason: triggerOf(data.trigger) }) }]
    case 'session.compaction_complete':
      return [compactionEnd(data)]
    default:
      return silent.has(type) ? [] : undefined
  }
}

/** The totals of a session file, which its decoder makes. */
const totalsOf = ({ byModel }: Fields): Record<string, Usage> =>
  Object.fromEntries(
    Object.entries(fieldsOf(byModel)).map(([model, data]) => [
      model,
      usageOf(fieldsOf(data)) ?? {},
    ]),
  )

/** How full the context is, by Copilot’s own estimate. */
export const contextUpdate = (tokens: unknown, window: unknown): AgentEvent[] =>
  update(defined({ contextTokens: countOf(tokens), contextWindow: countOf(window) }))

const update = (fields: object): AgentEvent[] =>
  Object.keys(fields).length === 0 ? [] : [{ type: 'session_update', ...fields }]

const notice = (level: string, message: unknown): AgentEvent[] => {
  const text = stringOf(message)
  return text === undefined ? [] : [{ type: 'session_update', notice: { level, text } }]
}

/** What the id, the model and the version of a session are, as far as a line says it. */
export const detailsOf = (data: Fields) =>
  defined({
    nativeId: stringOf(data.sessionId),
    agentVersion: stringOf(data.copilotVersion),
    cwd: stringOf(fieldsOf(data.context).cwd),
  })

const triggerOf = (trigger: unknown): string | undefined =>
  trigger === 'auto' ? 'threshold' : stringOf(trigger)

const compactionEnd = (data: Fields): AgentEvent => ({
  type: 'compaction_end',
  ...defined({
    reason: triggerOf(data.trigger),
    summary: stringOf(data.summaryContent),
    tokensBefore: countOf(data.preCompactionTokens),
    tokensAfter: countOf(data.postCompactionTokens),
    errorMessage: stringOf(data.error),
  }),
  ...(data.success === false && data.error === undefined && { aborted: true }),
})

/** Infos about what other lines report, too: a retry, and the result of an edit. */
const infosOfOtherEvents = new Set<unknown>(['model_retry', 'file_created'])

/** Lines with nothing that a reader needs. */
const silent = new Set<unknown>([
  'session.skills_loaded',
  'session.mcp_servers_loaded',
  'session.mcp_server_status_changed',
  'session.custom_agents_updated',
  'session.extensions_loaded',
  'session.background_tasks_changed',
  'session.context_changed',
  'session.permissions_changed',
  'session.plan_changed',
  'session.todos_changed',
  'session.usage_checkpoint',
  'session.usage_record',
  'session.workspace_file_changed',
  'session.shutdown',
  'model.call_finished',
  'model.call_final_result',
  'assistant.streaming_delta',
  'assistant.intent',
  'agent.interrupted',
  'capabilities.changed',
  'commands.changed',
  'pending_messages.modified',
  'permission.requested',
  'permission.completed',
  'system.message',
  'tool.execution_progress',
  'tool_search.activated',
])
