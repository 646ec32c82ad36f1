import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  stringOf,
  stringsOf,
} from '../../shared/fields.ts'
import { emitRaw, type QwenParts, type QwenSession } from './parts.ts'
import { report } from './result.ts'

/** Decodes a `system` line. */
export const decodeSystem = (parts: QwenParts, line: Fields) => {
  const data = fieldsOf(line.data)
  switch (line.subtype) {
    case 'init':
      return init(parts, line)
    case 'retry':
      return retry(parts, data)
    case 'model_fallback':
      return fallback(parts, data)
    case 'task_started':
    case 'task_notification':
      return parts.subagents.task(data)
    case 'usage_totals':
      return report(parts, line)
    case 'custom_title':
      return title(parts, data)
    case 'chat_compression':
      return compression(parts, fieldsOf(data.info))
    // Between the program and its host.
    case 'session_start':
    case 'session_end':
      return
    default:
      return notice(parts, line, data)
  }
}

const init = (parts: QwenParts, line: Fields) => {
  const { emit, hasStarted } = parts.queue
  const now: QwenSession = defined({
    agentVersion: stringOf(line.qwen_code_version),
    nativeId: stringOf(line.session_id),
    model: stringOf(line.model),
    cwd: stringOf(line.cwd),
    tools: Array.isArray(line.tools) ? stringsOf(line.tools) : undefined,
    permissionMode: stringOf(line.permission_mode),
  })
  if (!hasStarted()) emit({ type: 'session_start', agent: 'qwen', ...now })
  else {
    const changed = changesOf(parts.session, now)
    if (Object.keys(changed).length > 0) emit({ type: 'session_update', ...changed })
  }
  parts.session = now
  parts.run.act()
}

/** The fields that changed: with streaming input, every turn begins with an `init` line. */
const changesOf = (before: QwenSession, now: QwenSession): QwenSession =>
  Object.fromEntries(
    Object.entries(now).filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(before, key)),
    ),
  )

/** The attempt before is void, unless its text is kept and the next one continues it. */
const retry = (parts: QwenParts, data: Fields) => {
  const { run, messages } = parts
  run.act()
  const discarded = countOf(data.discardedToolCalls) ?? 0
  // Results of other calls mean that the failed attempt has printed nothing.
  if (data.preserveText !== true && parts.resultsSinceAnswer === discarded) messages.withdraw()
  parts.retry.start(data)
}

const fallback = (parts: QwenParts, data: Fields) => {
  const model = stringOf(data.toModel)
  const text = `The model ${stringOf(data.fromModel) ?? ''} failed. Qwen Code continues with ${model}.`
  parts.session = { ...parts.session, ...defined({ model }) }
  parts.queue.emit({
    type: 'session_update',
    ...defined({ model }),
    notice: { level: 'warning', text },
  })
}

/** Other lines carry a notice for people, such as that it works in a worktree. */
const notice = (parts: QwenParts, line: Fields, data: Fields) => {
  const text = stringOf(data.notice) ?? stringOf(data.error)
  if (text === undefined) return emitRaw(parts, line)
  const level = data.error === undefined ? 'info' : 'warning'
  parts.queue.emit({ type: 'session_update', notice: { level, text } })
}

/** Only session files have titles, compressions and totals without a result. */
const title = ({ queue }: QwenParts, { customTitle }: Fields) =>
  queue.emit({ type: 'session_update', ...defined({ name: stringOf(customTitle) }) })

const compression = ({ queue, messages }: QwenParts, info: Fields) => {
  messages.finish()
  queue.emit({ type: 'compaction_start' })
  const tokensBefore = countOf(info.originalTokenCount)
  const tokensAfter = countOf(info.newTokenCount)
  queue.emit({ type: 'compaction_end', summary: '', ...defined({ tokensBefore, tokensAfter }) })
}
