import type { AgentEvent, EventOf } from '../../events/types.ts'
import { countOf, defined, type Fields, stringOf, stringsOf } from '../../shared/fields.ts'
import { contextWindowOf, reportedOf } from './wire.ts'

type About = Omit<EventOf<'session_start'>, 'type' | 'agent' | 'parentToolCallId'>

/** What is known of the session itself; readers are told what changes. */
export const createAbout = (emit: (event: AgentEvent) => void, hasBegun: () => boolean) => {
  let about: About = {}

  return {
    /** An init line comes with every turn, and says mostly the same. */
    init(line: Fields) {
      const now = initOf(line)
      if (hasBegun()) {
        const changed = changesOf(about, now)
        if (changed) emit({ type: 'session_update', ...changed })
      } else emit({ type: 'session_start', agent: 'claude', ...now })
      about = { ...about, ...now }
    },
    status(line: Fields) {
      const now = defined({
        status: stringOf(line.status),
        permissionMode: stringOf(line.permissionMode),
      })
      if (now.permissionMode !== undefined) about.permissionMode = now.permissionMode
      if (Object.keys(now).length > 0) emit({ type: 'session_update', ...now })
    },
    fallback(line: Fields) {
      const model = stringOf(line.fallback_model)
      if (model !== undefined) about.model = model
      const notice = { level: 'warning', text: stringOf(line.content) ?? '' }
      emit({ type: 'session_update', ...defined({ model }), notice })
    },
    /** /clear: a new conversation in the same process. */
    reset(line: Fields) {
      const nativeId = stringOf(line.new_conversation_id)
      if (nativeId !== undefined) about.nativeId = nativeId
      emit({ type: 'session_update', reset: true, ...defined({ nativeId }) })
    },
    /** A result carries the counters, and the only word on the size of the window. */
    report(line: Fields) {
      if (line.modelUsage === undefined && line.total_cost_usd === undefined) return
      const contextWindow = contextWindowOf(line, about.model)
      const isNew = contextWindow !== undefined && contextWindow !== about.contextWindow
      if (isNew) about.contextWindow = contextWindow
      const reported = reportedOf(line)
      emit({ type: 'session_update', ...(isNew && { contextWindow }), reported })
    },
  }
}

const initOf = (line: Fields): About =>
  defined({
    agentVersion: stringOf(line.claude_code_version),
    nativeId: stringOf(line.session_id),
    model: stringOf(line.model),
    cwd: stringOf(line.cwd),
    tools: Array.isArray(line.tools) ? stringsOf(line.tools) : undefined,
    contextWindow: countOf(line.context_window),
    permissionMode: stringOf(line.permissionMode),
  })

/** The fields that differ from what was known; undefined when nothing does. */
const changesOf = (before: About, now: About): About | undefined => {
  const differs = (key: keyof About) => JSON.stringify(now[key]) !== JSON.stringify(before[key])
  const changed = defined({
    agentVersion: differs('agentVersion') ? now.agentVersion : undefined,
    nativeId: differs('nativeId') ? now.nativeId : undefined,
    model: differs('model') ? now.model : undefined,
    cwd: differs('cwd') ? now.cwd : undefined,
    tools: differs('tools') ? now.tools : undefined,
    contextWindow: differs('contextWindow') ? now.contextWindow : undefined,
    permissionMode: differs('permissionMode') ? now.permissionMode : undefined,
  })
  return Object.keys(changed).length > 0 ? changed : undefined
}
