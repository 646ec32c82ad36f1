import type { StampedEvent } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'
import { unknownSession } from '../../log/log-fault.ts'
import type { StreamFigures } from '../figures.ts'
import { createSessionFeed, type SessionFeed } from './session-feed.ts'

/** The sessions that somebody reads, or that have just been at work. */
export interface FeedRegistry {
  publish(event: StampedEvent): void
  /** Tells readers of what was published. It happens by itself at the end of the turn. */
  flush(): void
  /** A session, if it is in memory. */
  find(sessionId: string): SessionFeed | undefined
  /** A session, woken if it is cold. Refused where there is none. */
  get(sessionId: string): Promise<SessionFeed>
  /** Ends the streams of a session that is no more. */
  remove(sessionId: string): void
  /** Called at even intervals: what is cold is let go. */
  tick(): void
  lag(): Pick<StreamFigures, 'behind' | 'lagBytes'>
  /** Stores what a quick start needs. */
  close(): Promise<void>
}

export interface FeedRegistryOptions {
  log: Log
  ringBytes: number
  budgetBytes: number
  onError(cause: unknown): void
}

/** After so many ticks without events and readers, the frames of a session are let go. */
const restTicks = 12
/** And after so many, its transcript. */
const coldTicks = 60

export const createFeedRegistry = (options: FeedRegistryOptions): FeedRegistry => {
  const { log, onError } = options
  const sources = new Map<string, SessionFeed>()
  let changed = new Set<SessionFeed>()

  const enter = (sessionId: string, head: number): SessionFeed => {
    const known = sources.get(sessionId)
    if (known) return known
    const source = createSessionFeed({ ...options, sessionId, head })
    sources.set(sessionId, source)
    return source
  }

  const save = async (source: SessionFeed, when: 'run over' | 'closing'): Promise<void> => {
    try {
      await source.transcript.save(when)
    } catch (cause) {
      onError(cause)
    }
  }

  const flush = () => {
    const told = changed
    changed = new Set()
    for (const source of told) if (source.flush()) void save(source, 'run over')
  }

  const forget = async (source: SessionFeed): Promise<void> => {
    await save(source, 'closing')
    if (source.tick() > coldTicks) sources.delete(source.sessionId)
  }

  return {
    publish(event) {
      const source = enter(event.sessionId, event.seq - 1)
      if (changed.size === 0) process.nextTick(flush)
      changed.add(source)
      source.add(event)
    },
    flush,
    find: (sessionId) => sources.get(sessionId),
    async get(sessionId) {
      const known = sources.get(sessionId)
      if (known) return known
      const record = await log.sessions.get(sessionId)
      if (!record) throw unknownSession(sessionId)
      return enter(sessionId, await log.head(sessionId))
    },
    remove(sessionId) {
      sources.get(sessionId)?.feed.end('removed')
      sources.delete(sessionId)
    },
    tick() {
      for (const source of sources.values()) {
        const idle = source.tick()
        if (idle === restTicks) source.feed.rest()
        if (idle === coldTicks) void forget(source)
      }
    },
    lag() {
      let behind = 0
      let lagBytes = 0
      for (const { feed } of sources.values())
        for (const follower of feed.behind) {
          behind += 1
          lagBytes = Math.max(lagBytes, feed.lagOf(follower))
        }
      return { behind, lagBytes }
    },
    async close() {
      await Promise.all([...sources.values()].map((source) => save(source, 'closing')))
    },
  }
}
