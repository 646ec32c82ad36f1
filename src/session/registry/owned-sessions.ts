import { damagedSession } from '../../log/damage.ts'
import type { Log } from '../../log/log.ts'
import { LogFault, unknownSession } from '../../log/log-fault.ts'
import type { SessionRecord } from '../../log/types.ts'
import { Fault } from '../../shared/fault.ts'
import { readOnlyFault } from '../../shared/read-only-session.ts'
import { type CloseInterruptedDeps, closeInterrupted } from './close-interrupted.ts'
import type { LoadedSession, LoadHooks, RegistryDeps, UnloadHooks } from './load-session.ts'
import type { LoadedSessions } from './loaded-sessions.ts'
import { type Ownership, ownerLost } from './ownership.ts'
import type { StateKeeper } from './state-keeper.ts'

interface OwnedLoaderParts extends Pick<RegistryDeps, 'log' | 'history' | 'onError'> {
  ownership: Ownership
  load(id: string, hooks: UnloadHooks, taken: TakenSession): Promise<LoadedSession>
  /** Resolves when the changes of a record are stored. */
  saved(id: string): Promise<void> | undefined
  states: Pick<StateKeeper, 'opened' | 'closed'>
}

/** What a node finds when it takes a session. */
export type TakenSession = Pick<LoadHooks, 'lost' | 'arrival'>

/** Loads sessions that other nodes can own: each is claimed first, and released when it is unloaded. */
export const createOwnedLoader = ({
  log,
  ownership,
  history,
  onError,
  load,
  saved,
  states,
}: OwnedLoaderParts) => {
  const release = async (id: string): Promise<void> => {
    states.closed(id)
    try {
      await saved(id)
      await log.shared?.leave(id)
    } catch (cause) {
      onError(cause)
    }
    await ownership.release(id).catch(onError)
  }
  return async (id: string, hooks: UnloadHooks): Promise<LoadedSession> => {
    await requireLoadable(log, id)
    const last = ownership.lastOwnerOf(id)
    const { lostNode } = await ownership.claim(id)
    try {
      await log.shared?.arrive(id)
      const lost = lostNode === undefined ? undefined : ownerLost(lostNode)
      // Again: the last owner may have changed the record.
      const arrival = await history?.arrive(await requireLoadable(log, id), lostNode ?? last)
      states.opened(id)
      const loaded = await load(id, hooks, { lost, arrival })
      return {
        ...loaded,
        async close(reason) {
          try {
            await loaded.close(reason)
          } finally {
            await history?.leave(id, reason)
            await release(id)
          }
        },
      }
    } catch (cause) {
      await history?.leave(id, 'stopped')
      await release(id)
      throw cause
    }
  }
}

/** The record of a session that can be loaded. Throws why it cannot. */
export const requireLoadable = async (log: Log, id: string): Promise<SessionRecord> => {
  const record = await log.sessions.get(id)
  if (!record || record.removedAt !== undefined) throw unknownSession(id)
  if (record.damage) throw damagedSession(id, record.damage)
  const refusal = readOnlyFault(record)
  if (refusal) throw refusal
  return record
}

/** Reacts to owners that change. Returns how to end that; undefined when there is one node only. */
export const followOwners = (
  deps: CloseInterruptedDeps & Pick<RegistryDeps, 'ownership'>,
  loaded: LoadedSessions,
): (() => void) | undefined => {
  const { ownership, onError } = deps
  if (!ownership) return undefined
  const closeForgotten = createForgottenCloser(deps, ownership, loaded)
  let isClosing = false
  const timer = setInterval(() => {
    if (isClosing) return
    isClosing = true
    void closeForgotten()
      .catch(onError)
      .finally(() => {
        isClosing = false
      })
  }, forgottenMs).unref()
  const stop = ownership.follow({
    onOrphan: (id) => loaded.whileUnloaded(id, () => closeOrphan(id, ownership, deps)),
    onLost: loaded.abandon,
    releaseIdle: loaded.unloadIdle,
    status: loaded.counts,
  })
  return () => {
    clearInterval(timer)
    stop()
  }
}

/** How often this node looks for runs that no node has closed. */
const forgottenMs = 3000
/** How many records are looked at each time. */
const pageLength = 200

/**
 * Closes runs in sessions that no node owns, although their records say that an agent works: a takeover
 * failed, or a node has stored a late change behind it. A session is closed when it is found in this state
 * twice in a row, so that a node that is closing it can finish.
 */
const createForgottenCloser = (
  deps: CloseInterruptedDeps,
  ownership: Ownership,
  loaded: LoadedSessions,
): (() => Promise<void>) => {
  const { log, onError } = deps
  /** Where the last page ended. */
  let lastSeen: SessionRecord | undefined
  let found: string[] = []
  const isForgotten = ({ id, state, imported, watched }: SessionRecord): boolean =>
    state === 'running' &&
    !(imported || watched || ownership.holds(id) || ownership.isElsewhere(id))
  const readPage = (before?: SessionRecord): Promise<SessionRecord[]> =>
    log.sessions.list({ state: 'running', includeRemoved: true, before, limit: pageLength })
  const closeFound = async (id: string): Promise<void> => {
    const record = await log.sessions.get(id)
    if (!record || !isForgotten(record)) return
    await loaded
      .whileUnloaded(id, () => closeOrphan(id, ownership, deps))
      .catch((cause: unknown) => {
        if (!isUnowned(cause)) onError(cause)
      })
  }
  return async () => {
    if (log.status().state === 'unreachable') return
    for (const id of found) await closeFound(id)
    let running = await readPage(lastSeen)
    if (running.length === 0 && lastSeen) running = await readPage()
    lastSeen = running.at(-1)
    found = running.filter(isForgotten).map(({ id }) => id)
  }
}

/** Another node was faster, or nobody can tell now: it is seen again. */
const isUnowned = (cause: unknown): boolean =>
  cause instanceof Fault && (cause.code === 'owned_elsewhere' || cause.code === 'owner_unreachable')

/** How often a run is closed again that the lost node has written to meanwhile. */
const maxTries = 3

/** Closes what a lost node left open in a session. */
const closeOrphan = async (
  id: string,
  ownership: Ownership,
  deps: CloseInterruptedDeps,
): Promise<void> => {
  const { shared } = deps.log
  const last = ownership.lastOwnerOf(id)
  const { lostNode = last } = await ownership.claim(id)
  try {
    await shared?.arrive(id)
    if (lostNode !== undefined) await closeOpenRun(id, lostNode, deps)
  } finally {
    try {
      await shared?.leave(id)
    } finally {
      // The files of the agent are still on the lost node.
      await ownership.release(id, lostNode)
    }
  }
}

const closeOpenRun = async (
  id: string,
  lostNode: string,
  deps: CloseInterruptedDeps,
): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    const record = await deps.log.sessions.get(id)
    if (!record || record.imported || record.watched) return
    try {
      return await closeInterrupted(record, deps, ownerLost(lostNode))
    } catch (cause) {
      const isFenced = cause instanceof LogFault && cause.code === 'fenced'
      if (!isFenced || tries === maxTries) throw cause
    }
  }
}
