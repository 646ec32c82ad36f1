import { resolveLinks } from '../files/real-path.ts'
import { allSessions } from '../log/all-sessions.ts'
import type { Log } from '../log/log.ts'
import type { SessionRecord } from '../log/types.ts'
import type { SessionLifecycleEvent } from '../session/registry/sessions.ts'
import { nativeKeyOf, watchedIdOf } from './native-key.ts'
import type { NativeSession, NotWatched } from './watched-sessions.ts'

/** Knows which sessions of agents are not to be watched. */
export interface OwnSessions {
  /** Why a session must not be watched; undefined if it may. */
  refusalFor(native: NativeSession): Promise<NotWatched | undefined>
  onSession(event: SessionLifecycleEvent): void
  /** Notes that a session was deleted for good. Resolves when that is stored. */
  noteDeleted(record: SessionRecord): Promise<void>
  /** Resolves when what was noted is stored. */
  settled(): Promise<void>
}

export interface OwnSessionsOptions {
  log: Log
  /** Called when Sluice turns out to run a session that may have been found before. */
  onOwn(native: Pick<NativeSession, 'agent' | 'nativeId'>): void
  onError(cause: unknown): void
}

/**
 * Agents that Sluice runs write the same files as others. Their ids are remembered for ever, because
 * an agent changes its id when it clears a conversation, and a deleted session leaves its file behind.
 */
export const createOwnSessions = ({ log, onOwn, onError }: OwnSessionsOptions): OwnSessions => {
  const own = new Set<string>()
  /** Sessions of Sluice whose agents have not said their ids yet, by id. */
  const unnamed = new Map<string, Pick<SessionRecord, 'agent' | 'cwd'>>()
  /** The keys of watched sessions, by id. */
  const watched = new Map<string, string>()
  let writing = Promise.resolve()

  const remember = (key: string, why: NotWatched): void => {
    writing = writing
      .then(() => log.settings.put({ id: settingOf(key), value: why }))
      .catch(onError)
  }

  const note = (record: SessionRecord): void => {
    const { id, agent, nativeId, continuedNativeId, state, imported } = record
    if (imported) return
    if (record.watched) {
      watched.set(id, nativeKeyOf({ agent, nativeId: record.watched.nativeId }))
      return
    }
    watched.delete(id)
    for (const each of [nativeId, continuedNativeId]) {
      if (each === undefined || own.has(nativeKeyOf({ agent, nativeId: each }))) continue
      const native = { agent, nativeId: each }
      own.add(nativeKeyOf(native))
      remember(nativeKeyOf(native), 'own')
      // A watched session that is continued here has its own id.
      if (watchedIdOf(native) !== id) onOwn(native)
    }
    if (nativeId === undefined && state === 'running') unnamed.set(id, record)
    else unnamed.delete(id)
  }

  let loading: Promise<void> | undefined
  const load = (): Promise<void> => {
    loading ??= allSessions(log).then((records) => {
      for (const record of records) note(record)
    })
    return loading
  }

  const isStarting = async ({ agent, cwd }: NativeSession): Promise<boolean> => {
    const starting = log.shared ? await unnamedOfAll(log) : [...unnamed.values()]
    if (starting.length === 0) return false
    const path = pathOf(cwd)
    return starting.some((each) => each.agent === agent && pathOf(each.cwd) === path)
  }

  return {
    async refusalFor(native) {
      await load()
      const key = nativeKeyOf(native)
      if (own.has(key)) return 'own'
      const stored = await log.settings.get(settingOf(key))
      if (stored) return stored.value === 'deleted' ? 'deleted' : 'own'
      return (await isStarting(native)) ? 'starting' : undefined
    },
    onSession(event) {
      if (event.type !== 'session_removed') return note(event.session)
      unnamed.delete(event.sessionId)
      const key = watched.get(event.sessionId)
      if (key !== undefined) remember(key, 'deleted')
    },
    async noteDeleted({ agent, watched: from }) {
      if (from) remember(nativeKeyOf({ agent, nativeId: from.nativeId }), 'deleted')
      await writing
    },
    settled: () => writing,
  }
}

/** Agents of other nodes may write into the same directories. */
const unnamedOfAll = async (log: Log): Promise<SessionRecord[]> =>
  (await log.sessions.list({ state: 'running', limit: maxRunning })).filter(
    ({ nativeId, watched, imported }) => nativeId === undefined && !watched && !imported,
  )
const maxRunning = 1000

/** A directory that is gone is compared as it is. */
const pathOf = (directory: string): string => resolveLinks(directory) ?? directory

const settingOf = (key: string): string => `native:${key.replace('\n', ':')}`
