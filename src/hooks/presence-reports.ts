import type { HookMessage } from '../agents/hooks.ts'
import type { Presence } from '../events/types.ts'
import type { Log } from '../log/log.ts'
import type { PresenceRegistry } from '../presence/presence.ts'
import { defined } from '../shared/fields.ts'
import type { WatchedSessions } from '../watch/watched-sessions.ts'

/**
 * Shows in the list of sessions what hooks report: that an agent works, waits for a person, or is gone.
 * The first prompt makes the session appear, before the agent has written its file.
 */
export interface PresenceReports {
  note(message: HookMessage, agent: string, pid: number | undefined): void
  /** Resolves when everything noted is stored. */
  settled(): Promise<void>
}

export interface PresenceReportsOptions {
  log: Pick<Log, 'sessions'>
  watched: Pick<WatchedSessions, 'open' | 'idOf'>
  presence: Pick<PresenceRegistry, 'report'>
  onError(cause: unknown): void
}

/** A report that would have to wait for so many others says nothing new by then. */
const maxWaiting = 200

export const createPresenceReports = (options: PresenceReportsOptions): PresenceReports => {
  const { log, watched, presence: registry, onError } = options
  let waiting = 0
  let writing: Promise<void> = Promise.resolve()

  const store = async (message: HookMessage, agent: string, presence: Presence): Promise<void> => {
    const { nativeId, cwd, transcriptPath: file } = message
    // An agent that was only opened has no session yet.
    const isNew = !(await log.sessions.get(watched.idOf({ agent, nativeId })))
    if (isNew && message.type !== 'prompted') return
    const session = await watched.open({ agent, nativeId, cwd, file })
    if (typeof session === 'string') return
    await session.update({ presence }).finally(session.release)
  }

  return {
    note(message, agent, pid) {
      const state = stateOf(message)
      if (state === undefined || waiting >= maxWaiting) return
      const presence = { ...defined({ pid }), ...state }
      // First: what follows the process must not take this for out of date.
      registry.report({ agent, nativeId: message.nativeId }, presence)
      waiting += 1
      writing = writing
        .then(() => store(message, agent, presence))
        .catch(onError)
        .finally(() => {
          waiting -= 1
        })
    },
    settled: () => writing,
  }
}

/** What a message says about the agent as a whole; undefined: nothing. */
const stateOf = (message: HookMessage): Omit<Presence, 'pid'> | undefined => {
  if (message.subagentId !== undefined) return undefined
  switch (message.type) {
    case 'prompted':
      return { state: 'working' }
    case 'request':
      return { state: 'waiting', waitingFor: 'permission prompt' }
    case 'call_ended':
      return { state: 'working' }
    case 'waiting':
      return { state: 'waiting', ...defined({ waitingFor: message.reason?.slice(0, 200) }) }
    case 'started':
    case 'stopped':
      return { state: 'idle' }
    case 'ended':
      return { state: 'gone' }
    default:
      return undefined
  }
}
