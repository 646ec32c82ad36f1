import { setImmediate as turn } from 'node:timers/promises'
import type { StampedEvent } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'
import type { Chunk } from './chunk.ts'
import type { Follower } from './follower.ts'
import { frameOf } from './frame.ts'
import { createLogPages } from './log-pages.ts'
import { createRing, type Ring } from './ring.ts'

/**
 * The events of one session on their way to its readers. A reader costs a cursor: what it has not
 * taken yet lies in the ring, which all share, or in the log.
 */
export interface FanOut {
  /** The last event that is known of. */
  head(): number
  /** Takes an event in; nobody is told before `flush`. */
  add(event: StampedEvent): void
  /** Gives every reader what is new. */
  flush(): void
  /** Gives a reader everything behind its cursor, from now on. */
  join(follower: Follower): void
  /** Goes on with a reader that could take no more. */
  resume(follower: Follower): void
  leave(follower: Follower): void
  /** Ends all readers. */
  end(why: 'removed'): void
  /** Keeps the feed in use for somebody who is about to join; gives the end of that. */
  hold(): () => void
  /** Whether somebody follows it, or is about to. */
  isUsed(): boolean
  /** How many bytes a reader has not been given of what came since it joined. */
  lagOf(follower: Follower): number
  /** Those that wait for their other side, or for the log. */
  behind: ReadonlySet<Follower>
  /** Lets go of the frames: the log has them. */
  rest(): void
}

export interface FanOutOptions {
  sessionId: string
  log: Pick<Log, 'readText'>
  head: number
  /** How much of the latest is kept for readers. */
  ringBytes: number
  /** How far a reader may fall behind what came since it joined. */
  budgetBytes: number
  /** The log could not be read: a reader is sent away for it. */
  onError(cause: unknown): void
}

export const createFanOut = (options: FanOutOptions): FanOut => {
  const { budgetBytes } = options
  const pages = createLogPages(options.log, options.sessionId)
  const followers = new Set<Follower>()
  /** Those that have everything up to the last flush. */
  const ready = new Set<Follower>()
  const behind = new Set<Follower>()
  const reading = new Set<Follower>()
  const holders = new Set<symbol>()
  let ring: Ring | undefined
  let { head } = options
  let nextCheck = 0
  let isOver = false

  const isUsed = () => followers.size > 0 || holders.size > 0
  const passed = () => ring?.passed() ?? 0
  const lagOf = (follower: Follower) => passed() - follower.given

  const give = (follower: Follower, piece: Chunk): boolean => {
    // What lay in the log before the reader came is no debt: it takes that at its own pace.
    const debt = piece.passed ?? Math.min(passed(), follower.given + piece.bytes.length)
    follower.cursor = piece.last
    follower.given = debt
    return follower.take(piece)
  }

  const pump = (follower: Follower): void => {
    while (follower.cursor < head) {
      const piece = ring?.after(follower.cursor)
      if (!piece) return void readOn(follower)
      if (!give(follower, piece)) return void fallBehind(follower)
    }
    behind.delete(follower)
    ready.add(follower)
    if (behind.size === 0) pages.clear()
  }

  const fallBehind = (follower: Follower): void => {
    if (!followers.has(follower)) return
    ready.delete(follower)
    behind.add(follower)
  }

  /** Reads a little from the log and lets everybody else have a turn. */
  const readOn = async (follower: Follower): Promise<void> => {
    fallBehind(follower)
    reading.add(follower)
    const piece = await turn()
      .then(() => pages.after(follower.cursor))
      .catch((cause: unknown) => void options.onError(cause))
    reading.delete(follower)
    if (!followers.has(follower)) return
    if (!piece) return void dismiss(follower, 'failed')
    if (give(follower, piece)) pump(follower)
  }

  const leave = (follower: Follower): void => {
    followers.delete(follower)
    ready.delete(follower)
    behind.delete(follower)
  }

  const dismiss = (follower: Follower, why: Parameters<Follower['end']>[0]): void => {
    leave(follower)
    follower.end(why)
  }

  const checkBudgets = (): void => {
    if (behind.size === 0 || passed() < nextCheck) return
    nextCheck = passed() + budgetBytes / 64
    for (const follower of behind) if (lagOf(follower) > budgetBytes) dismiss(follower, 'slow')
  }

  return {
    head: () => head,
    behind,
    lagOf,
    add(event) {
      if (event.seq <= head) return
      head = event.seq
      ring?.add(head, frameOf(head, JSON.stringify(event)))
    },
    flush() {
      for (const follower of ready) {
        if (follower.cursor >= head) continue
        const piece = ring?.after(follower.cursor)
        if (!piece) void readOn(follower)
        else if (!give(follower, piece)) fallBehind(follower)
        else if (follower.cursor < head) pump(follower)
      }
      checkBudgets()
    },
    hold() {
      ring ??= createRing(options.ringBytes)
      const holder = Symbol()
      holders.add(holder)
      return () => void holders.delete(holder)
    },
    isUsed,
    join(follower) {
      if (isOver) return follower.end('removed')
      ring ??= createRing(options.ringBytes)
      follower.given = passed()
      followers.add(follower)
      pump(follower)
    },
    resume(follower) {
      if (behind.has(follower) && !reading.has(follower)) pump(follower)
    },
    leave,
    end(why) {
      isOver = true
      for (const follower of [...followers]) dismiss(follower, why)
    },
    rest() {
      if (!isUsed()) ring = undefined
    },
  }
}
