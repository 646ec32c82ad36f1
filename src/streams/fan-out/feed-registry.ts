import type { StampedEvent } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'
import { unknownSession } from '../../log/log-fault.ts'
import type { StreamFigures } from '../figures.ts'
import { createLiveTranscript, type LiveTranscript } from '../snapshots/live-transcript.ts'
import { createFanOut, type FanOut } from './fan-out.ts'

/**
 * The feeds of all sessions that have readers, or had events a short while ago. `streams.ts`
 * publishes every event here; streams and the overview look feeds up.
 */
export interface FeedRegistry {
  /** Adds an event to the feed of its session. Readers get it at the end of the current turn. */
  publish(event: StampedEvent): void
  /** Sends readers what was published, without waiting for the end of the turn. */
  flush(): void
  /** The feed of a session, if it is in memory. */
  find(sessionId: string): SessionFeed | undefined
  /** Whether a session has a feed, or will have one soon. */
  isWanted(sessionId: string): boolean
  /** The ids of the sessions that have feeds. */
  sessionIds(): string[]
  /** The feed of a session, created if needed. Throws a `LogFault` for an unknown session. */
  load(sessionId: string): Promise<SessionFeed>
  /** Ends the streams of a session that was removed. */
  remove(sessionId: string): void
  /** Ends the streams of a session that now ends earlier, because an event is damaged. */
  restart(sessionId: string): void
  /** Frees the memory of feeds that are idle for long. Called at regular intervals. */
  tick(): void
  /** How many readers are behind, and how far at most. */
  lag(): Pick<StreamFigures, 'behind' | 'lagBytes'>
  /** Stores the snapshots that the next server starts with. */
  close(): Promise<void>
}

/** One session: its events for open streams, and its transcript for new ones. */
export interface SessionFeed {
  readonly sessionId: string
  readonly fanOut: FanOut
  readonly transcript: LiveTranscript
  /** Adds an event that is stored in the log. */
  add(event: StampedEvent): void
  /** Sends readers what is new. True if a run has ended. */
  flush(): boolean
  /** Called at regular intervals. Returns how many of them in a row had no events and readers. */
  tick(): number
}

export interface FeedRegistryOptions {
  log: Log
  ringBytes: number
  budgetBytes: number
  /** About the most characters of a snapshot. */
  snapshotChars?: number | undefined
  onError(cause: unknown): void
}

/** After this many idle ticks, a feed drops its ring. */
const ringTicks = 12
/** After this many idle ticks, a feed is dropped with its transcript. */
const feedTicks = 60

export const createFeedRegistry = (options: FeedRegistryOptions): FeedRegistry => {
  const { log, onError } = options
  const feeds = new Map<string, SessionFeed>()
  /** Sessions whose heads are being read: an event that comes meanwhile must not be missed. */
  const loading = new Map<string, number>()
  let changed = new Set<SessionFeed>()

  const findOrCreate = (sessionId: string, head: number): SessionFeed => {
    const found = feeds.get(sessionId)
    if (found) return found
    const feed = createSessionFeed(sessionId, head, options)
    feeds.set(sessionId, feed)
    return feed
  }

  const saveSnapshot = async (feed: SessionFeed, when: 'run over' | 'closing'): Promise<void> => {
    try {
      await feed.transcript.save(when)
    } catch (cause) {
      onError(cause)
    }
  }

  const flush = () => {
    const flushed = changed
    changed = new Set()
    for (const feed of flushed) if (feed.flush()) void saveSnapshot(feed, 'run over')
  }

  const drop = async (feed: SessionFeed): Promise<void> => {
    await saveSnapshot(feed, 'closing')
    if (feed.tick() > feedTicks) feeds.delete(feed.sessionId) // still idle
  }

  return {
    publish(event) {
      const feed = findOrCreate(event.sessionId, event.seq - 1)
      if (changed.size === 0) process.nextTick(flush)
      changed.add(feed)
      feed.add(event)
    },
    flush,
    find: (sessionId) => feeds.get(sessionId),
    isWanted: (sessionId) => feeds.has(sessionId) || loading.has(sessionId),
    sessionIds: () => [...feeds.keys()],
    async load(sessionId) {
      const found = feeds.get(sessionId)
      if (found) return found
      loading.set(sessionId, (loading.get(sessionId) ?? 0) + 1)
      try {
        const record = await log.sessions.get(sessionId)
        if (!record) throw unknownSession(sessionId)
        return findOrCreate(sessionId, await log.head(sessionId))
      } finally {
        const left = (loading.get(sessionId) ?? 1) - 1
        if (left === 0) loading.delete(sessionId)
        else loading.set(sessionId, left)
      }
    },
    remove(sessionId) {
      feeds.get(sessionId)?.fanOut.endAll('removed')
      feeds.delete(sessionId)
    },
    restart(sessionId) {
      feeds.get(sessionId)?.fanOut.endAll('failed')
      feeds.delete(sessionId)
    },
    tick() {
      for (const feed of feeds.values()) {
        const idleTicks = feed.tick()
        if (idleTicks === ringTicks) feed.fanOut.dropRing()
        if (idleTicks === feedTicks) void drop(feed)
      }
    },
    lag: () => lagOf(feeds.values()),
    async close() {
      await Promise.all([...feeds.values()].map((feed) => saveSnapshot(feed, 'closing')))
    },
  }
}

const createSessionFeed = (
  sessionId: string,
  head: number,
  options: FeedRegistryOptions,
): SessionFeed => {
  const fanOut = createFanOut({ ...options, sessionId, head })
  const transcript = createLiveTranscript({
    sessionId,
    log: options.log,
    head: fanOut.head,
    maxChars: options.snapshotChars,
  })
  let idleTicks = 0
  let isRunOver = false

  return {
    sessionId,
    fanOut,
    transcript,
    add(event) {
      // Where several nodes write, an event may come from the log and again from its writer.
      if (event.seq <= fanOut.head()) return
      idleTicks = 0
      if (event.type === 'agent_end') isRunOver = true
      fanOut.add(event)
      transcript.add(event)
    },
    flush() {
      const wasRunOver = isRunOver
      isRunOver = false
      fanOut.flush()
      transcript.applyPending() // after the writes: readers do not wait for it
      return wasRunOver
    },
    tick() {
      idleTicks = fanOut.isUsed() ? 0 : idleTicks + 1
      return idleTicks
    },
  }
}

const lagOf = (feeds: Iterable<SessionFeed>): Pick<StreamFigures, 'behind' | 'lagBytes'> => {
  let behind = 0
  let lagBytes = 0
  for (const { fanOut } of feeds)
    for (const follower of fanOut.behind) {
      behind += 1
      lagBytes = Math.max(lagBytes, fanOut.lagOf(follower))
    }
  return { behind, lagBytes }
}
