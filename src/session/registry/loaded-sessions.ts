import { setImmediate } from 'node:timers/promises'
import type { InterruptReason } from '../../log/interrupt-reason.ts'
import { LogFault } from '../../log/log-fault.ts'
import { runningAgents } from '../../process/running-agents.ts'
import { Fault } from '../../shared/fault.ts'
import type { EndReason } from '../conversation/session.ts'
import type { LoadedSession, UnloadHooks } from './load-session.ts'

/** The sessions that are in memory: each once, for as long as it is used. */
export interface LoadedSessions {
  /** The session with this id, loaded first if needed. Rejects if it cannot be loaded. */
  get(id: string): Promise<LoadedSession>
  /** The session if it is in memory or being loaded; resolves after earlier calls of `get`. */
  getIfLoaded(id: string): Promise<LoadedSession | undefined>
  /** The session if it is in memory now. */
  peek(id: string): LoadedSession | undefined
  /** Ends the session’s agent and takes the session out of memory. */
  unload(id: string, reason: EndReason): Promise<void>
  /**
   * Does something with a session while it is not in memory and cannot be loaded. Does nothing when the
   * session is in memory.
   */
  whileUnloaded(id: string, work: () => Promise<void>): Promise<void>
  /** Unloads the sessions that have no work, or this one if it has none. */
  unloadIdle(id?: string): Promise<void>
  /** Kills the agents of all sessions and unloads them; they can be loaded again. */
  abandon(): Promise<void>
  /** How many sessions are in memory, and how many of them work. */
  counts(): { sessions: number; running: number }
  /** Stops the agents that work, and records why. */
  interrupt(reason: InterruptReason): Promise<void>
  /** Sends messages that were queued while the log could not store what becomes of them. */
  sendWaiting(): void
  /** Resolves when no session is busy or being loaded. */
  idle(): Promise<void>
  /** Kills all agents, without waiting. No session is loaded afterwards. */
  kill(): void
  /** Unloads all sessions. None is loaded afterwards. */
  close(): Promise<void>
}

export interface LoadedSessionsOptions {
  load(id: string, hooks: UnloadHooks): Promise<LoadedSession>
  /** Receives errors of sessions that are unloaded in the background. */
  onError(cause: unknown): void
  /** How many agents may run at once. */
  maxAgents: number
  /** Processes with a mark of this key belong to these sessions. */
  markKey: number
}

interface Entry {
  readonly loading: Promise<LoadedSession>
  /** Set once it is loaded. */
  loaded?: LoadedSession
  /** Set while it is being unloaded: only afterwards it can be loaded again. */
  unloading?: Promise<void>
}

interface Memory extends LoadedSessionsOptions {
  readonly entries: Map<string, Entry>
  isClosed: boolean
}

export const createLoadedSessions = (options: LoadedSessionsOptions): LoadedSessions => {
  const memory: Memory = { ...options, entries: new Map(), isClosed: false }
  const { entries } = memory
  const current = (id: string): Entry | undefined => {
    const entry = entries.get(id)
    return entry?.unloading === undefined ? entry : undefined
  }

  return {
    get: (id) => getLoaded(memory, id),
    async getIfLoaded(id) {
      if (!current(id)) return undefined
      try {
        return await getLoaded(memory, id)
      } catch {
        return undefined
      }
    },
    peek: (id) => current(id)?.loaded,
    unload: (id, reason) => unload(memory, id, reason),
    async whileUnloaded(id, work) {
      if (memory.isClosed || entries.has(id)) return
      const loading = Promise.reject(new Error('The session is not in memory.'))
      loading.catch(() => {}) // whoever waits for it loads the session afterwards
      const done = Promise.withResolvers<void>()
      entries.set(id, { loading, unloading: done.promise })
      try {
        await work()
      } finally {
        entries.delete(id)
        done.resolve()
      }
    },
    async unloadIdle(only) {
      const idle = [...entries].filter(
        ([id, { loaded }]) => (only ?? id) === id && loaded?.session.canUnload(),
      )
      await Promise.all(idle.map(([id]) => unload(memory, id, 'idle')))
    },
    async abandon() {
      for (const { loaded } of entries.values()) loaded?.session.kill()
      await Promise.all([...entries.keys()].map((id) => unload(memory, id, 'stopped')))
    },
    counts() {
      const all = [...entries.values()]
      const running = all.filter(({ loaded }) => loaded?.session.isBusy()).length
      return { sessions: all.length, running }
    },
    async interrupt(reason) {
      const loaded = [...entries.values()].flatMap((entry) => entry.loaded ?? [])
      await Promise.all(loaded.map(({ session }) => session.interrupt(reason)))
    },
    sendWaiting() {
      for (const { loaded } of entries.values()) loaded?.session.sendWaiting()
    },
    async idle() {
      for (let busy = busyEntries(memory); busy.length > 0; busy = busyEntries(memory)) {
        await Promise.all(busy.map(untilIdle))
        // The caller that loaded a session may be about to prompt it.
        await setImmediate()
      }
    },
    kill() {
      memory.isClosed = true
      for (const { loaded } of entries.values()) loaded?.session.kill()
      // Also processes that have only just been started.
      runningAgents.kill(memory.markKey)
    },
    async close() {
      memory.isClosed = true
      await Promise.all([...entries.keys()].map((id) => unload(memory, id, 'stopped')))
    },
  }
}

const getLoaded = async (memory: Memory, id: string): Promise<LoadedSession> => {
  for (;;) {
    if (memory.isClosed)
      throw new LogFault('closed', 'Sluice is shutting down and accepts no more commands.')
    const entry = memory.entries.get(id) ?? addEntry(memory, id)
    const loaded = entry.unloading === undefined ? await entry.loading : undefined
    // It may have been unloaded again as soon as it was loaded.
    await entry.unloading
    if (!loaded || entry.unloading !== undefined) continue
    loaded.touch()
    return loaded
  }
}

const addEntry = (memory: Memory, id: string): Entry => {
  const { entries, onError } = memory
  const loading = memory.load(id, {
    makeRoom: () => makeRoom(memory, id),
    onIdle: () => void rest(memory, id).catch(onError),
    onStoreFailure: () => void unload(memory, id, 'stopped').catch(onError),
  })
  const entry: Entry = { loading }
  entries.set(id, entry)
  loading.then(
    (loaded) => {
      entry.loaded = loaded
    },
    () => removeEntry(entries, id, entry),
  )
  return entry
}

/** The session may be there again: a caller loads it as soon as it could not be loaded. */
const removeEntry = (entries: Memory['entries'], id: string, entry: Entry): void => {
  if (entries.get(id) === entry) entries.delete(id)
}

const unload = async (memory: Memory, id: string, reason: EndReason): Promise<void> => {
  const { entries } = memory
  const entry = entries.get(id)
  if (!entry) return
  entry.unloading ??= entry.loading
    .then(
      (loaded) => loaded.close(reason),
      () => {}, // it was never in memory; the caller of `get` receives the error
    )
    .finally(() => removeEntry(entries, id, entry))
  await entry.unloading
}

/** Unloads an idle session, or only stops its agent if it has work. */
const rest = async (memory: Memory, id: string): Promise<void> => {
  const entry = memory.entries.get(id)
  const session = entry?.unloading === undefined ? entry?.loaded?.session : undefined
  if (session?.canUnload() === false) await session.stop('idle')
  else await unload(memory, id, 'idle')
}

/** Makes room for the agent of a session: at the limit, the one that was idle longest is ended. */
const makeRoom = async (memory: Memory, id: string): Promise<void> => {
  const { entries, maxAgents } = memory
  const others = [...entries].flatMap(([other, { loaded, unloading }]) =>
    other !== id && unloading === undefined && loaded?.session.isAlive()
      ? [{ id: other, ...loaded }]
      : [],
  )
  if (others.length < maxAgents) return
  const [first] = others
    .filter(({ session }) => session.canUnload())
    .sort((left, right) => left.lastActive() - right.lastActive())
  if (!first) throw new Fault('too_many_sessions', limitReached(maxAgents))
  await unload(memory, first.id, 'idle')
}

const limitReached = (limit: number): string =>
  limit === 1
    ? '1 agent is already running (the limit). Stop it, or raise --max-agents.'
    : `${limit} agents are already running (the limit). Stop one, or raise --max-agents.`

const busyEntries = ({ entries }: Memory): Entry[] =>
  [...entries.values()].filter(({ loaded }) => loaded === undefined || loaded.session.isBusy())

const untilIdle = async ({ loading }: Entry): Promise<void> => {
  const loaded = await loading.catch(() => undefined)
  await loaded?.session.idle()
}
