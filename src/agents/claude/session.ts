import type { EventOf } from '../../events/types.ts'
import type { RunFigures } from '../../events/usage-sums.ts'
import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  listOf,
  ownValue,
  stringOf,
  stringsOf,
} from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { createCommandList } from './command-list.ts'
import { noticeEvent } from './parts.ts'
import { contextWindowOf, reportedOf } from './wire.ts'

type SessionFields = Omit<EventOf<'session_start'>, 'type' | 'agent' | 'parentToolCallId'>

/** The session as a whole: emits `session_start`, then what changes. */
export interface SessionTracker {
  /** An `init` line. One comes with every turn, and mostly repeats the one before. */
  init(line: Fields): void
  /** The reply to `initialize`, which describes the commands. */
  initialized(reply: Fields): void
  /** The reply to `get_settings`, which has the effort that the model has. */
  settings(reply: Fields): void
  /** A `status` line. */
  status(line: Fields): void
  /** The agent falls back to another model. */
  fallback(line: Fields): void
  /** `/clear`: a new conversation in the same process. */
  reset(line: Fields): void
  /**
   * A `result` line, which has the counters, and as the only line the size of the context. Returns
   * how long the turn took. `isLocal`: it made no model call.
   */
  report(line: Fields, isLocal: boolean): RunFigures
}

export const createSessionTracker = (emit: Emit, hasStarted: () => boolean): SessionTracker => {
  let session: SessionFields = {}
  const noteServers = createServerNotices(emit)
  const durations = createDurations()
  const commandList = createCommandList()
  /** The effort that was reported before the session began. */
  let earlyEffort: string | undefined

  return {
    init(line) {
      const now = { ...fieldsOfInit(line), ...defined({ commands: commandList.named(line) }) }
      if (hasStarted()) {
        const changed = changesOf(session, now)
        if (changed) emit({ type: 'session_update', ...changed })
      } else {
        const thinkingLevel = earlyEffort
        emit({ type: 'session_start', agent: 'claude', ...now, ...defined({ thinkingLevel }) })
      }
      session = { ...session, ...now }
      noteServers(line)
    },
    initialized(reply) {
      const commands = commandList.described(reply)
      // The line that begins the session has them all, with these descriptions.
      if (!commands || !hasStarted()) return
      session.commands = commands
      emit({ type: 'session_update', commands })
    },
    settings(reply) {
      const thinkingLevel = stringOf(fieldsOf(reply.applied).effort)
      if (thinkingLevel === undefined) return
      if (hasStarted()) emit({ type: 'session_update', thinkingLevel })
      else earlyEffort = thinkingLevel
    },
    status(line) {
      const now = defined({
        status: stringOf(line.status),
        permissionMode: stringOf(line.permissionMode),
      })
      if (now.permissionMode !== undefined) session.permissionMode = now.permissionMode
      if (Object.keys(now).length > 0) emit({ type: 'session_update', ...now })
    },
    fallback(line) {
      const model = stringOf(line.fallback_model)
      if (model !== undefined) session.model = model
      const notice = { level: 'warning', text: stringOf(line.content) ?? '' }
      emit({ type: 'session_update', ...defined({ model }), notice })
    },
    reset(line) {
      const nativeId = stringOf(line.new_conversation_id)
      if (nativeId !== undefined) session.nativeId = nativeId
      durations.restart()
      emit({ type: 'session_update', reset: true, ...defined({ nativeId }) })
    },
    report(line, isLocal) {
      const figures = durations.of(line, isLocal)
      if (line.modelUsage === undefined && line.total_cost_usd === undefined) return figures
      const contextWindow = contextWindowOf(line, session.model)
      const isNew = contextWindow !== undefined && contextWindow !== session.contextWindow
      if (isNew) session.contextWindow = contextWindow
      const reported = { ...reportedOf(line), ...figures }
      emit({ type: 'session_update', ...(isNew && { contextWindow }), reported })
      return figures
    },
  }
}

/** A server that is not connected is named once: its tools are missing. */
const createServerNotices = (emit: Emit) => {
  const noted = new Set<string>()
  return (line: Fields) => {
    for (const server of listOf(line.mcp_servers).map(fieldsOf)) {
      const name = stringOf(server.name) ?? ''
      const problem = ownValue(serverProblems, stringOf(server.status) ?? '')
      if (problem === undefined || noted.has(name)) continue
      noted.add(name)
      emit(noticeEvent('warning', `The MCP server “${name}” ${problem}`))
    }
  }
}

/** What is wrong with a server, by its status. */
const serverProblems: Readonly<Record<string, string>> = {
  failed:
    'did not start, so its tools are missing. Run `claude mcp list` in this directory to see why.',
  'needs-auth': 'needs you to sign in, so its tools are missing. Run `claude` and use `/mcp`.',
}

/** The duration of model calls grows over the turns of a process. The others are of one turn. */
const createDurations = () => {
  let apiMs = 0
  return {
    /** The counters of the process start at zero again. */
    restart() {
      apiMs = 0
    },
    of(line: Fields, isLocal: boolean): RunFigures {
      const now = countOf(line.duration_api_ms)
      const durationApiMs = now === undefined ? undefined : Math.max(0, now - apiMs)
      apiMs = Math.max(apiMs, now ?? 0)
      return defined({
        durationMs: countOf(line.duration_ms),
        durationApiMs,
        // Some versions count the messages of the whole conversation after a local command.
        numTurns: isLocal ? undefined : countOf(line.num_turns),
      })
    },
  }
}

const fieldsOfInit = (line: Fields): SessionFields =>
  defined({
    agentVersion: stringOf(line.claude_code_version),
    nativeId: stringOf(line.session_id),
    model: stringOf(line.model),
    cwd: stringOf(line.cwd),
    tools: Array.isArray(line.tools) ? stringsOf(line.tools) : undefined,
    contextWindow: countOf(line.context_window),
    permissionMode: stringOf(line.permissionMode),
  })

/** The fields that changed; undefined if none did. */
const changesOf = (before: SessionFields, now: SessionFields): SessionFields | undefined => {
  const differs = (key: keyof SessionFields) =>
    JSON.stringify(now[key]) !== JSON.stringify(before[key])
  const changed = defined({
    agentVersion: differs('agentVersion') ? now.agentVersion : undefined,
    nativeId: differs('nativeId') ? now.nativeId : undefined,
    model: differs('model') ? now.model : undefined,
    cwd: differs('cwd') ? now.cwd : undefined,
    tools: differs('tools') ? now.tools : undefined,
    contextWindow: differs('contextWindow') ? now.contextWindow : undefined,
    permissionMode: differs('permissionMode') ? now.permissionMode : undefined,
    commands: differs('commands') ? now.commands : undefined,
  })
  return Object.keys(changed).length > 0 ? changed : undefined
}
