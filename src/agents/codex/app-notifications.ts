import type { TodoState, Usage } from '../../events/types.ts'
import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  numberOf,
  stringOf,
} from '../../shared/fields.ts'
import type { AppParts } from './app-server.ts'
import type { ItemParts } from './app-subagents.ts'
import { rawPart } from './messages.ts'
import { reconnectionIn } from './retry.ts'
import { blockOf, itemTypeOf } from './wire.ts'

/** Decodes a notification of the app-server. False if it is unknown. */
export const decodeNotification = (parts: AppParts, method: string, params: Fields): boolean => {
  if (isQuiet(method)) return true
  const threadId = stringOf(params.threadId)
  const { session } = parts
  if (threadId !== undefined && session.id() !== undefined && threadId !== session.id()) {
    decodeSubagent(parts, threadId, method, params)
    return true
  }
  const decode = decoders.get(method)
  decode?.(parts, params)
  return decode !== undefined
}

type Decode = (parts: AppParts, params: Fields) => void
/** Decodes what the main thread and the threads of subagents have in common. */
type DecodeItem = (parts: ItemParts, params: Fields) => void

/** A subagent works in a thread of its own. One that no call started is not shown. */
const decodeSubagent = (parts: AppParts, threadId: string, method: string, params: Fields) => {
  const subagent = parts.subagents.find(threadId)
  if (!subagent) return
  if (method === 'turn/started') subagent.start()
  else if (method === 'turn/completed') subagent.end(fieldsOf(params.turn))
  else if (method === 'thread/tokenUsage/updated') subagent.usage(fieldsOf(params.tokenUsage))
  else if (method === 'error') failedCall(subagent.parts, params)
  else itemDecoders.get(method)?.(subagent.parts, params)
}

const textOf = (value: unknown): string => stringOf(value) ?? ''

const itemStarted: DecodeItem = (parts, params) => {
  const { messages, tools, retry, errors, emit, subagents } = parts
  const item = fieldsOf(params.item)
  errors.wentOn()
  if (isNews(item)) return
  switch (itemTypeOf(item)) {
    case 'user_message':
    case 'reasoning':
    case 'plan':
    case 'hook_prompt':
    case 'exited_review_mode':
      return
    case 'agent_message':
      retry.end()
      return messages.start(item)
    case 'context_compaction':
      messages.settle()
      return emit({ type: 'compaction_start' })
    default:
      retry.end()
      tools.start(item)
      return subagents.item(item, emit)
  }
}

const itemCompleted: DecodeItem = (parts, params) => {
  const { messages, tools, retry, errors, emit, subagents } = parts
  const item = fieldsOf(params.item)
  errors.wentOn()
  if (isNews(item)) return
  const type = itemTypeOf(item)
  switch (type) {
    case 'hook_prompt':
      return
    case 'user_message':
      return messages.user(item, listOf(item.content).filter(isFields).map(blockOf))
    case 'context_compaction':
      return emit({ type: 'compaction_end', summary: '' })
    case 'agent_message':
    case 'plan':
    case 'reasoning':
      retry.end()
      return messages.complete(item, type === 'reasoning' ? 'thinking' : 'text')
    case 'exited_review_mode':
      return messages.complete({ ...item, text: item.review }, 'text')
    default:
      retry.end()
      tools.end(item)
      return subagents.item(item, emit)
  }
}

/** That a subagent is done is no call: its own thread shows it. */
const isNews = (item: Fields): boolean =>
  item.type === 'subAgentActivity' && item.kind === 'completed'

const turnStarted: Decode = (parts, params) => {
  parts.turnId = stringOf(fieldsOf(params.turn).id)
  parts.run.ensure()
}

const turnCompleted: Decode = (parts, params) => {
  const { run, messages, tools, retry, errors } = parts
  const { status, error, durationMs } = fieldsOf(params.turn)
  run.ensure()
  parts.turnId = undefined
  const figures = defined({ durationMs: countOf(durationMs) })
  const isAborted = status === 'interrupted'
  const message = stringOf(fieldsOf(error).message)
  const errorMessage = status === 'failed' ? errors.failed(message) : undefined
  if (errorMessage === undefined) errors.wentOn()
  messages.close(isAborted ? { failure: { reason: 'aborted' } } : {})
  messages.settle()
  tools.close()
  retry.end(isAborted ? 'The run was stopped.' : errorMessage)
  if (errorMessage !== undefined) return run.end({ stopReason: 'error', errorMessage, ...figures })
  run.end({ stopReason: isAborted ? 'aborted' : 'stop', ...figures })
}

const failed: Decode = (parts, params) => {
  if (params.willRetry === true) parts.run.ensure()
  failedCall(parts, params)
}

const failedCall: DecodeItem = ({ messages, retry, errors }, params) => {
  const error = fieldsOf(params.error)
  const message = textOf(error.message)
  if (params.willRetry !== true) return errors.add(message)
  const known = reconnectionIn(message) ?? { attempt: 1, error: message }
  messages.withdraw()
  const reason = stringOf(error.additionalDetails)
  retry.start({ ...known, ...defined({ error: reason ?? known.error, ...statusIn(error) }) })
}

/** The status stands inside an object that is named after the failure. */
const statusIn = ({ codexErrorInfo }: Fields): { status?: number } => {
  const [info] = Object.values(fieldsOf(codexErrorInfo))
  return defined({ status: numberOf(fieldsOf(info).httpStatusCode) })
}

const tokenUsage: Decode = ({ session, run, messages }, params) => {
  let call: Usage | undefined
  session.usage(fieldsOf(params.tokenUsage), run.isOpen(), (usage) => {
    call = usage
    messages.settle(usage)
  })
  run.endTurn(call)
}

const planUpdated: Decode = ({ emit }, params) => {
  const todos = listOf(params.plan)
    .map(fieldsOf)
    .map(({ step, status }) => ({ text: textOf(step), state: todoStateOf(status) }))
  emit({ type: 'session_update', todos })
}

const todoStateOf = (status: unknown): TodoState => {
  if (status === 'completed') return status
  return status === 'inProgress' ? 'in_progress' : 'pending'
}

const notice = (level: string, text: string) =>
  ({ type: 'session_update', notice: { level, text } }) as const

const mcpStatus: Decode = ({ emit }, { name, status, error }) => {
  if (status !== 'failed') return
  const reason = stringOf(error) ?? 'It gives no reason.'
  emit(notice('warning', `The MCP server ${textOf(name)} did not start: ${reason}`))
}

const hook: Decode = ({ emit }, params) => {
  const { id, eventName, status, sourcePath, statusMessage } = fieldsOf(params.run)
  emit({
    type: 'session_update',
    hook: {
      name: stringOf(sourcePath) ?? 'hook',
      on: textOf(eventName),
      status: textOf(status),
      ...defined({ id: stringOf(id), output: stringOf(statusMessage) }),
    },
  })
}

const itemDecoders: ReadonlyMap<string, DecodeItem> = new Map<string, DecodeItem>([
  ['item/started', itemStarted],
  ['item/completed', itemCompleted],
  [
    'item/agentMessage/delta',
    ({ messages }, p) => messages.delta(textOf(p.itemId), 'text', textOf(p.delta)),
  ],
  [
    'item/reasoning/summaryTextDelta',
    ({ messages }, p) =>
      messages.delta(textOf(p.itemId), 'thinking', textOf(p.delta), String(p.summaryIndex ?? 0)),
  ],
  [
    'item/reasoning/textDelta',
    ({ messages }, p) =>
      messages.delta(
        textOf(p.itemId),
        'thinking',
        textOf(p.delta),
        rawPart(countOf(p.contentIndex) ?? 0),
      ),
  ],
  [
    'item/commandExecution/outputDelta',
    ({ tools }, p) => tools.output(textOf(p.itemId), textOf(p.delta)),
  ],
])

const decoders: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ...itemDecoders,
  ['turn/started', turnStarted],
  ['turn/completed', turnCompleted],
  ['error', failed],
  ['thread/tokenUsage/updated', tokenUsage],
  ['turn/plan/updated', planUpdated],
  ['mcpServer/startupStatus/updated', mcpStatus],
  ['hook/started', hook],
  ['hook/completed', hook],
  ['thread/started', ({ session }, { thread }) => session.thread(fieldsOf(thread))],
  [
    'thread/settings/updated',
    ({ session }, { threadSettings }) => session.settings(fieldsOf(threadSettings)),
  ],
  ['account/rateLimits/updated', ({ session }, p) => session.rateLimits(fieldsOf(p.rateLimits))],
  ['serverRequest/resolved', ({ approvals }, { requestId }) => approvals.resolved(requestId)],
  [
    'thread/name/updated',
    ({ emit }, p) => emit({ type: 'session_update', name: textOf(p.threadName) }),
  ],
  [
    'model/rerouted',
    ({ session, emit }, p) => {
      session.settings({ model: p.toModel })
      emit(notice('info', `The model is now ${textOf(p.toModel)}.`))
    },
  ],
  ['configWarning', ({ emit }, p) => emit(notice('warning', textOf(p.summary)))],
  ['warning', ({ emit }, p) => emit(notice('warning', textOf(p.message)))],
  ['guardianWarning', ({ emit }, p) => emit(notice('warning', textOf(p.message)))],
])

/** Nothing that a reader needs, or what another line says, too. */
const isQuiet = (method: string): boolean => quiet.has(method) || quietGroups.test(method)

const quietGroups =
  /^(?:remoteControl|fs|app|skills|windows|windowsSandbox|fuzzyFileSearch|thread\/realtime|thread\/goal|project|externalAgentConfig|process|command)\//

const quiet: ReadonlySet<string> = new Set([
  'thread/status/changed',
  'thread/readState/changed',
  'thread/compacted',
  'thread/closed',
  'thread/queue/changed',
  'thread/environment/connected',
  'turn/diff/updated',
  'turn/moderationMetadata',
  'item/plan/delta',
  'item/reasoning/summaryPartAdded',
  'item/fileChange/outputDelta',
  'item/fileChange/patchUpdated',
  'item/commandExecution/terminalInteraction',
  'item/mcpToolCall/progress',
  'deprecationNotice',
  'account/updated',
  'rawResponseItem/completed',
  'rawResponse/completed',
])
