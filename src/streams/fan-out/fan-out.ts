import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StampedEvent } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'
import { frameOf } from './frame.ts'
import { createLogPages, type LogPages } from './log-pages.ts'
import { type Chunk, createRing, type Ring } from './ring.ts'

/**
 * Sends the events of one session to its followers. A follower costs a cursor and no buffer: what
 * it was not sent yet is in the ring, which all followers share, or in the log. The feed registry
 * adds events; streams join and leave.
 */
export interface FanOut {
  /** The seq of the latest event. */
  head(): number
  /** Adds an event to the ring. Followers get it with the next `flush`. */
  add(event: StampedEvent): void
  /** Sends new events to every follower that is not behind. */
  flush(): void
  /** Sends a follower everything after its cursor, now and from now on. */
  join(follower: Follower): void
  /** Continues with a follower whose `send` had returned false. */
  resume(follower: Follower): void
  /** Sends a follower nothing more. */
  leave(follower: Follower): void
  /** Ends all followers, and those that join later: the session was removed. */
  endAll(reason: FollowerEnd): void
  /** Keeps the ring for a stream that is about to join. Returns a function that undoes this. */
  hold(): () => void
  /** Whether the session has followers, or a stream that is about to join. */
  isUsed(): boolean
  /** Followers that wait for their client or for the log. */
  readonly behind: ReadonlySet<Follower>
  /** How many bytes were published since a follower joined and not sent to it yet. */
  lagOf(follower: Follower): number
  /** Frees the ring if nobody uses it. */
  dropRing(): void
}

/** One reader of a session: an open stream with a cursor. */
export interface Follower {
  /** The seq of the last event that it was sent. */
  cursor: number
  /** How far it is in the bytes of the ring; set by the fan-out. */
  bytePosition: number
  /** Sends the next frames. False when it accepts no more until it is resumed. */
  send(chunk: Chunk): boolean
  /** Called once when it will be sent nothing more. */
  end(reason: FollowerEnd): void
}

/** It fell too far behind, its session was removed, or the log could not be read. */
export type FollowerEnd = 'slow' | 'removed' | 'failed'

export interface FanOutOptions {
  sessionId: string
  log: Pick<Log, 'readText'>
  /** The seq of the latest event in the log. */
  head: number
  /** How many bytes of the latest frames stay in memory. */
  ringBytes: number
  /** How many bytes a follower may fall behind what was published since it joined. */
  budgetBytes: number
  /** Receives errors of the log. The follower that needed the log is ended. */
  onError(cause: unknown): void
}

export const createFanOut = (options: FanOutOptions): FanOut => {
  const state: State = {
    options,
    logPages: createLogPages(options.log, options.sessionId),
    followers: new Set(),
    ready: new Set(),
    behind: new Set(),
    reading: new Set(),
    ring: undefined,
    head: options.head,
    nextBudgetCheck: 0,
    ended: undefined,
  }
  const { followers, behind, reading } = state
  const holders = new Set<symbol>()
  const isUsed = () => followers.size > 0 || holders.size > 0

  return {
    head: () => state.head,
    add(event) {
      if (event.seq <= state.head) return
      state.head = event.seq
      state.ring?.add(event.seq, frameOf(event.seq, JSON.stringify(event)))
    },
    flush() {
      sendNewEvents(state)
      endSlowFollowers(state)
    },
    join(follower) {
      if (state.ended) return follower.end(state.ended)
      state.ring ??= createRing(options.ringBytes)
      follower.bytePosition = state.ring.bytesAdded()
      followers.add(follower)
      catchUp(state, follower)
    },
    resume(follower) {
      if (behind.has(follower) && !reading.has(follower)) catchUp(state, follower)
    },
    leave: (follower) => leave(state, follower),
    endAll(reason) {
      state.ended = reason
      for (const follower of [...followers]) endFollower(state, follower, reason)
    },
    hold() {
      state.ring ??= createRing(options.ringBytes)
      const holder = Symbol()
      holders.add(holder)
      return () => void holders.delete(holder)
    },
    isUsed,
    behind,
    lagOf: (follower) => lagOf(state, follower),
    dropRing() {
      if (!isUsed()) state.ring = undefined
    },
  }
}

interface State {
  readonly options: FanOutOptions
  readonly logPages: LogPages
  readonly followers: Set<Follower>
  /** Followers that were sent everything up to the last flush. */
  readonly ready: Set<Follower>
  readonly behind: Set<Follower>
  /** Those of `behind` whose next frames are being read from the log. */
  readonly reading: Set<Follower>
  /** Exists while somebody uses the fan-out. */
  ring: Ring | undefined
  head: number
  /** The byte position at which lags are checked next: often enough, and not with every flush. */
  nextBudgetCheck: number
  /** Set once nobody is sent anything any more. */
  ended: FollowerEnd | undefined
}

const bytesAdded = ({ ring }: State): number => ring?.bytesAdded() ?? 0

const lagOf = (state: State, follower: Follower): number =>
  bytesAdded(state) - follower.bytePosition

const sendNewEvents = (state: State): void => {
  const { ring, head } = state
  for (const follower of state.ready) {
    if (follower.cursor >= head) continue
    const chunk = ring?.after(follower.cursor)
    if (!chunk) void sendFromLog(state, follower)
    else if (!send(state, follower, chunk)) markBehind(state, follower)
    else if (follower.cursor < head) catchUp(state, follower)
  }
}

const send = (state: State, follower: Follower, chunk: Chunk): boolean => {
  // A chunk from the log counts against the budget only as far as it was published since the join:
  // a follower reads what is older at its own pace.
  const position =
    chunk.endPosition ?? Math.min(bytesAdded(state), follower.bytePosition + chunk.bytes.length)
  follower.cursor = chunk.last
  follower.bytePosition = position
  return follower.send(chunk)
}

/** Sends frames until the follower is up to date, accepts no more, or needs the log. */
const catchUp = (state: State, follower: Follower): void => {
  while (follower.cursor < state.head) {
    const chunk = state.ring?.after(follower.cursor)
    if (!chunk) return void sendFromLog(state, follower)
    if (!send(state, follower, chunk)) return void markBehind(state, follower)
  }
  state.behind.delete(follower)
  state.ready.add(follower)
  if (state.behind.size === 0) state.logPages.clear()
}

/** Sends one chunk from the log, in a turn of its own: other followers are not delayed. */
const sendFromLog = async (state: State, follower: Follower): Promise<void> => {
  markBehind(state, follower)
  state.reading.add(follower)
  const chunk = await nextTurn()
    .then(() => state.logPages.after(follower.cursor))
    .catch((cause: unknown) => void state.options.onError(cause))
  state.reading.delete(follower)
  if (!state.followers.has(follower)) return
  if (!chunk) return endFollower(state, follower, 'failed')
  if (send(state, follower, chunk)) catchUp(state, follower)
}

const markBehind = (state: State, follower: Follower): void => {
  if (!state.followers.has(follower)) return // its stream closed while it was being written to
  state.ready.delete(follower)
  state.behind.add(follower)
}

const endSlowFollowers = (state: State): void => {
  const { budgetBytes } = state.options
  if (state.behind.size === 0 || bytesAdded(state) < state.nextBudgetCheck) return
  state.nextBudgetCheck = bytesAdded(state) + budgetBytes / 64
  for (const follower of state.behind)
    if (lagOf(state, follower) > budgetBytes) endFollower(state, follower, 'slow')
}

const leave = (state: State, follower: Follower): void => {
  state.followers.delete(follower)
  state.ready.delete(follower)
  state.behind.delete(follower)
}

const endFollower = (state: State, follower: Follower, reason: FollowerEnd): void => {
  leave(state, follower)
  follower.end(reason)
}
