import type {
  ContextReport,
  Continuation,
  EventPage,
  EventQuery,
  ExportFormat,
  MessageList,
  MessageQuery,
  ModelList,
  NewFork,
  NewSession,
  RewindBody,
  RewindResult,
  SessionChange,
  SessionInfo,
  SessionPage,
  SessionQuery,
  SessionRemoval,
  TaskList,
  TaskOutput,
  TaskOutputQuery,
  TurnDiff,
  UsageReport,
} from '../../api/types.ts'
import type { StampedEvent } from '../../events/types.ts'
import type { Caller, CallOptions, OnceOptions } from '../caller.ts'
import { hasFields } from '../response.ts'
import type { ReadCursor } from '../stream/event-cursor.ts'
import { oneSession } from '../stream/one-session.ts'
import { oneByOne, readStream, type StreamOptions } from '../stream/read-stream.ts'
import { isStampedEvent, type StreamEvent } from '../stream-events.ts'
import { path, type Transport } from '../transport.ts'
import { type CommandCalls, commandCalls } from './commands.ts'
import { type ConfirmOptions, proofHeaders } from './passkeys.ts'

/** A page of the events of a session. */
export interface StoredEvents {
  /** In order, without the types that this client does not recognise. */
  events: StampedEvent[]
  /** The seq of the session’s last event. */
  head: number
  /** The cursor at the last event of the page: pass it as `after` to read what comes later. */
  cursor: string
  /** The same cursor, if more events follow now. */
  next?: string
  /** The log does not have the event of `after`: drop what was read, and start without `after`. */
  gap?: true
}

/** Which events to read. */
export interface StoredEventQuery extends Omit<EventQuery, 'after'> {
  /** Reads the events after this cursor. Default: from the first event. */
  after?: ReadCursor | undefined
}

export interface SessionStreamOptions extends StreamOptions {
  /** The cursor of the last event that was seen. Without it, the stream begins with a snapshot. */
  after?: ReadCursor
}

/** Calls about sessions, and the commands to their agents. */
export interface SessionCalls extends CommandCalls {
  /** Returns a page of sessions, newest first; pass its `next` as `cursor` to read the next one. */
  list(query?: SessionQuery, options?: CallOptions): Promise<SessionPage>
  /**
   * Creates a session. Its agent starts with the first prompt. With an `idempotencyKey`, the call is sent
   * again when its response was lost.
   */
  create(session: NewSession, options?: ConfirmOptions & OnceOptions): Promise<SessionInfo>
  /** Creates a session that continues the conversation of another one, which stays as it is. */
  fork(id: string, fork?: NewFork, options?: CallOptions): Promise<SessionInfo>
  /**
   * Continues a session that began outside Sluice. Rejects with a `Problem` (`agent_running`,
   * `presence_unknown`) while the agent’s own process works in it, or may do so.
   */
  continue(id: string, body?: Continuation, options?: CallOptions): Promise<SessionInfo>
  /** Restores the files that the agent edited to their state before a message. */
  rewind(id: string, body: RewindBody, options?: ConfirmOptions): Promise<RewindResult>
  /** Returns one session. */
  get(id: string, options?: CallOptions): Promise<SessionInfo>
  /** Renames a session, or undoes its removal with `{ removed: false }`. */
  update(id: string, change: SessionChange, options?: CallOptions): Promise<SessionInfo>
  /** Deletes a session. For a while, `update(id, { removed: false })` undoes that. */
  remove(id: string, options?: CallOptions & SessionRemoval): Promise<void>
  /** Returns the messages of the conversation: all, or with `view: 'model'` what the model sees. */
  messages(id: string, query?: MessageQuery, options?: CallOptions): Promise<MessageList>
  /** Returns a page of the stored events. */
  events(id: string, query?: StoredEventQuery, options?: CallOptions): Promise<StoredEvents>
  /** Returns the models that `model` accepts. */
  models(id: string, options?: CallOptions): Promise<ModelList>
  /** Returns the tasks of the agent: subagents and long-running commands. */
  tasks(id: string, options?: CallOptions): Promise<TaskList>
  /** Returns the output of a task, from the byte `after` on. Default: the end of it. */
  taskOutput(
    id: string,
    taskId: string,
    query?: TaskOutputQuery,
    options?: CallOptions,
  ): Promise<TaskOutput>
  /** Returns how full the context window is, and with what. */
  context(id: string, options?: CallOptions): Promise<ContextReport>
  /** Returns tokens and cost: in total, by model and by run. */
  usage(id: string, options?: CallOptions): Promise<UsageReport>
  /** Returns what changed in the directory since the last run started. */
  turnDiff(id: string, options?: CallOptions): Promise<TurnDiff>
  /** Returns the whole session as a file. Default: JSON lines. */
  export(id: string, format?: ExportFormat, options?: CallOptions): Promise<Blob>
  /**
   * Reads the events of a session as they happen. Reconnects by itself where it left off. Throws on
   * 401, 403, 404 and 410, which no retry would change; ends when the signal aborts.
   */
  stream(id: string, options?: SessionStreamOptions): AsyncGenerator<StreamEvent, void>
}

const isSession = hasFields<SessionInfo>('id', 'agent', 'state')
const isSessionPage = hasFields<SessionPage>('sessions')
const isMessageList = hasFields<MessageList>('sessionId', 'messages')
/** A newer server may send events of any type. */
type UncheckedPage = Omit<EventPage, 'events'> & { events: unknown[] }
const isEventPage = (value: unknown): value is UncheckedPage =>
  hasFields<UncheckedPage>('events', 'head', 'cursor')(value) && Array.isArray(value.events)
const isModelList = hasFields<ModelList>('sessionId', 'models')
const isTaskList = hasFields<TaskList>('sessionId', 'tasks')
const isTaskOutput = hasFields<TaskOutput>('taskId', 'text', 'next')
const isContextReport = hasFields<ContextReport>('sessionId', 'context')
const isUsageReport = hasFields<UsageReport>('sessionId', 'totals')
const isRewindResult = hasFields<RewindResult>('sessionId', 'files')
const isTurnDiff = hasFields<TurnDiff>('sessionId', 'files')

export const sessionCalls = (caller: Caller, transport: Transport): SessionCalls => ({
  ...commandCalls(caller),
  list: (query = {}, options) =>
    caller.json({ path: 'sessions', query: { ...query } }, isSessionPage, options),
  create(body, { proof, ...options } = {}) {
    const headers = proofHeaders(proof)
    const call = { method: 'POST', path: 'sessions', body, headers } as const
    // A server that restarts forgets the keys of new sessions, so only who passes a key means it.
    return options.idempotencyKey === undefined
      ? caller.json(call, isSession, options)
      : caller.once(call, isSession, options)
  },
  fork: (id, body = {}, options) =>
    caller.json({ method: 'POST', path: path`sessions/${id}/fork`, body }, isSession, options),
  continue: (id, body = {}, options) =>
    caller.json({ method: 'POST', path: path`sessions/${id}/continue`, body }, isSession, options),
  rewind: (id, body, { proof, ...options } = {}) =>
    caller.json(
      {
        ...{ method: 'POST', path: path`sessions/${id}/rewind` },
        ...{ body, headers: proofHeaders(proof) },
      },
      isRewindResult,
      options,
    ),
  get: (id, options) => caller.json({ path: path`sessions/${id}` }, isSession, options),
  update: (id, body, options) =>
    caller.json({ method: 'PATCH', path: path`sessions/${id}`, body }, isSession, options),
  remove: (id, { worktree, ...options } = {}) =>
    caller.empty({ method: 'DELETE', path: path`sessions/${id}`, query: { worktree } }, options),
  messages: (id, query = {}, options) =>
    caller.json(
      { path: path`sessions/${id}/messages`, query: { ...query } },
      isMessageList,
      options,
    ),
  async events(id, query = {}, options) {
    const page = { path: path`sessions/${id}/events`, query: { ...query } }
    const { events, head, cursor, next, gap } = await caller.json(page, isEventPage, options)
    return {
      events: events.filter(isStampedEvent),
      head,
      cursor,
      ...(next !== undefined && { next }),
      ...(gap && { gap }),
    }
  },
  models: (id, options) => caller.json({ path: path`sessions/${id}/models` }, isModelList, options),
  tasks: (id, options) => caller.json({ path: path`sessions/${id}/tasks` }, isTaskList, options),
  taskOutput: (id, taskId, query = {}, options) =>
    caller.json(
      { path: path`sessions/${id}/tasks/${taskId}/output`, query: { ...query } },
      isTaskOutput,
      options,
    ),
  context: (id, options) =>
    caller.json({ path: path`sessions/${id}/context` }, isContextReport, options),
  usage: (id, options) => caller.json({ path: path`sessions/${id}/usage` }, isUsageReport, options),
  turnDiff: (id, options) =>
    caller.json({ path: path`sessions/${id}/turn-diff` }, isTurnDiff, options),
  export: (id, format = 'jsonl', options) =>
    caller.bytes({ path: path`sessions/${id}/export`, query: { format } }, options),
  stream: (id, { after, ...options } = {}) =>
    oneByOne(readStream(transport, oneSession(id, after), options)),
})
