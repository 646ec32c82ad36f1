import { eventPage, messageList } from '../../api/conversation.ts'
import { modelList } from '../../api/models.ts'
import { sessionInfo, sessionPage } from '../../api/session.ts'
import { turnDiff } from '../../api/turn-diff.ts'
import type {
  EventQuery,
  ExportFormat,
  NewSession,
  SessionChange,
  SessionQuery,
} from '../../api/types.ts'
import { contextReport, usageReport } from '../../api/usage.ts'
import type { StampedEvent } from '../../events/types.ts'
import type { Caller, CallOptions } from '../caller.ts'
import { path } from '../path.ts'
import { isStampedEvent } from '../stream-events.ts'

/** Some events of a session. */
export interface StoredEvents {
  /** In order. Those of a type that this client does not know are left out. */
  events: StampedEvent[]
  /** The seq of the session’s last event. */
  head: number
  /** Give it as `after` for the page behind this one; absent on the last. */
  next?: number
}

/** `sessions`: what is known of them. */
export const sessionCalls = (caller: Caller) => ({
  /** Newest first; a page that has `next` goes on with it as `cursor`. */
  list: (query: SessionQuery = {}, options?: CallOptions) =>
    caller.get({ path: 'sessions', query: { ...query } }, sessionPage, options),
  create: (body: NewSession, options?: CallOptions) =>
    caller.get({ method: 'POST', path: 'sessions', body }, sessionInfo, options),
  get: (id: string, options?: CallOptions) =>
    caller.get({ path: path`sessions/${id}` }, sessionInfo, options),
  update: (id: string, body: SessionChange, options?: CallOptions) =>
    caller.get({ method: 'PATCH', path: path`sessions/${id}`, body }, sessionInfo, options),
  /** Can be taken back for a while: `update(id, { removed: false })`. */
  remove: (id: string, options?: CallOptions) =>
    caller.done({ method: 'DELETE', path: path`sessions/${id}` }, options),
  messages: (id: string, options?: CallOptions) =>
    caller.get({ path: path`sessions/${id}/messages` }, messageList, options),
  /** Events as they were stored, page by page. */
  async events(id: string, query: EventQuery = {}, options?: CallOptions): Promise<StoredEvents> {
    const page = await caller.get(
      { path: path`sessions/${id}/events`, query: { ...query } },
      eventPage,
      options,
    )
    const { head, next } = page
    const events: readonly object[] = page.events
    return { events: events.filter(isStampedEvent), head, ...(next !== undefined && { next }) }
  },
  /** What `model` may be told. */
  models: (id: string, options?: CallOptions) =>
    caller.get({ path: path`sessions/${id}/models` }, modelList, options),
  context: (id: string, options?: CallOptions) =>
    caller.get({ path: path`sessions/${id}/context` }, contextReport, options),
  usage: (id: string, options?: CallOptions) =>
    caller.get({ path: path`sessions/${id}/usage` }, usageReport, options),
  /** What changed in the directory since the last agent_start. */
  turnDiff: (id: string, options?: CallOptions) =>
    caller.get({ path: path`sessions/${id}/turn-diff` }, turnDiff, options),
  /** The whole session as a file. */
  export: (id: string, format: ExportFormat = 'jsonl', options?: CallOptions) =>
    caller.bytes({ path: path`sessions/${id}/export`, query: { format } }, options),
})
