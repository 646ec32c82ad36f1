import type { StampedEvent, WatchedFrom } from '../events/types.ts'
import type { SessionPatch } from '../log/records.ts'
import type { SessionRecord } from '../log/types.ts'
import { titleOf } from '../session/registry/title.ts'
import { defined } from '../shared/fields.ts'
import type { WatchedChange } from './watched-session.ts'
import type { WatchedSessionsOptions } from './watched-sessions.ts'

/** Keeps the record of a watched session as its events say. */
export interface RecordKeeper {
  /** Notes stored events. The record is written when lists would show something else. */
  onEvents(
    events: readonly StampedEvent[],
    state: { isRunning: boolean; isPast: boolean; isLost: boolean },
  ): Promise<void>
  update(change: WatchedChange): Promise<void>
  /** Writes what waits. */
  flush(): Promise<void>
}

type KeeperOptions = Pick<WatchedSessionsOptions, 'log' | 'notify' | 'claims'> & { now(): number }

/** While a session is live, its last activity is written at most this often. */
const activityMs = 1000

export const createRecordKeeper = (
  given: SessionRecord,
  { log, notify, claims, now }: KeeperOptions,
): RecordKeeper => {
  let record = given
  let pending: SessionPatch = {}
  let lastWrite = 0

  const flush = async (): Promise<void> => {
    const patch = pending
    if (Object.keys(patch).length === 0) return
    pending = {}
    lastWrite = now()
    record = await log.sessions.update(record.id, { ...patch, updatedAt: lastWrite })
    notify({ type: 'session_updated', session: record })
  }

  const changeWatched = (change: Partial<WatchedFrom>): void => {
    const watched = pending.watched ?? record.watched
    if (watched && Object.keys(change).length > 0) pending.watched = { ...watched, ...change }
  }
  /** What the agent does is seen on its own machine only. */
  const noteMachine = (): void => {
    if (claims && record.watched?.node !== claims.node) changeWatched({ node: claims.node })
  }

  return {
    async onEvents(events, { isRunning, isPast, isLost }) {
      if (!isLost) noteMachine()
      const change = changeIn(events, record.title === undefined && pending.title === undefined)
      const state = isRunning ? 'running' : 'idle'
      const isNews = Object.keys(change).length > 0 || state !== record.state
      const lastActivity = events.at(-1)?.timestamp
      pending = { ...pending, ...change, state, ...defined({ lastActivity }) }
      // History is written once, when it is read.
      if (!isPast && (isNews || now() - lastWrite >= activityMs)) await flush()
    },
    async update({ file, read, presence, beginning, inherited, unpaidCalls, ...change }) {
      if (presence && presence.state !== 'unknown') noteMachine()
      changeWatched(defined({ file, read, presence, beginning, inherited, unpaidCalls }))
      Object.assign(pending, defined(change))
      await flush()
    },
    flush,
  }
}

/** The list of sessions has all these texts in memory. */
const maxText = 200
const shortened = (text: string | undefined): string | undefined =>
  text === undefined || text.length <= maxText
    ? text
    : Array.from(text.slice(0, 2 * maxText))
        .slice(0, maxText)
        .join('')

/** What events say about the session as a whole. */
const changeIn = (events: readonly StampedEvent[], needsTitle: boolean): SessionPatch => {
  const change: SessionPatch = {}
  for (const event of events) {
    if (event.parentToolCallId !== undefined) continue
    if (event.type === 'session_start' || event.type === 'session_update') {
      const { model, permissionMode, name } = event
      const cut = { model: shortened(model), permissionMode: shortened(permissionMode) }
      Object.assign(change, defined({ ...cut, name: shortened(name) }))
      if (name === '') change.name = null
    } else if (event.type === 'message_end' && needsTitle && change.title === undefined) {
      const title = event.message.role === 'user' ? titleOf(textOf(event.message)) : undefined
      if (title !== undefined) change.title = title
    }
  }
  return change
}

type Message = Extract<StampedEvent, { type: 'message_end' }>['message']

const textOf = ({ content }: Message): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
