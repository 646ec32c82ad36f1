import { setImmediate } from 'node:timers/promises'
import { LogFault } from '../../log/log-fault.ts'
import { killTagged, sessionVariable } from '../../process/process-tags.ts'
import { Fault } from '../../shared/fault.ts'
import type { EndReason } from '../conversation/runner.ts'
import type { LoadedSession } from './load-session.ts'

interface Entry {
  opened: Promise<LoadedSession>
  /** Once it is open. */
  awake?: LoadedSession
  /** It is on its way out; only then can it come in again. */
  leaving?: Promise<void>
}

export interface LoadedSessionsOptions {
  open(id: string): Promise<LoadedSession>
  /** One has left. */
  onLeft(id: string): void
  /** How many agents may live at once. */
  limit: number
}

/** The sessions that are in memory: each once, for as long as it is used. */
export const createLoadedSessions = ({ open, onLeft, limit }: LoadedSessionsOptions) => {
  const entries = new Map<string, Entry>()
  let isClosed = false

  const add = (id: string): Entry => {
    const entry: Entry = { opened: open(id) }
    entries.set(id, entry)
    entry.opened.then(
      (awake) => {
        entry.awake = awake
      },
      () => entries.delete(id),
    )
    return entry
  }

  const leave = async (id: string, reason: EndReason): Promise<void> => {
    const entry = entries.get(id)
    if (!entry) return
    entry.leaving ??= entry.opened
      .then(
        (awake) => awake.close(reason),
        () => {}, // one that cannot come in is gone already; whoever wanted it is told
      )
      .finally(() => {
        entries.delete(id)
        onLeft(id)
      })
    await entry.leaving
  }

  /** Those whose agent lives, but not the one that asks. */
  const living = (id: string): [id: string, awake: LoadedSession][] =>
    [...entries].flatMap(([each, { awake, leaving }]) =>
      each !== id && leaving === undefined && awake?.session.isAlive() ? [[each, awake]] : [],
    )

  /** A session, brought into memory if it is not there. */
  const enter = async (id: string): Promise<LoadedSession> => {
    for (;;) {
      if (isClosed) throw new LogFault('closed', 'The sessions are closed.')
      const entry = entries.get(id) ?? add(id)
      const awake = entry.leaving === undefined ? await entry.opened : undefined
      // It may have been sent away while it was brought in.
      await entry.leaving
      if (!awake || entry.leaving !== undefined) continue
      awake.touch()
      return awake
    }
  }

  const isIn = (id: string): boolean => entries.has(id) && entries.get(id)?.leaving === undefined

  const busyOnes = (): Entry[] =>
    [...entries.values()].filter(({ awake }) => awake === undefined || awake.session.isBusy())

  return {
    enter,
    /** A session, if it is in memory. */
    peek(id: string): LoadedSession | undefined {
      const entry = entries.get(id)
      return entry?.leaving === undefined ? entry?.awake : undefined
    },
    /** The same, also while it is on its way in; in the order of those who wait for it. */
    async current(id: string): Promise<LoadedSession | undefined> {
      if (!isIn(id)) return undefined
      try {
        return await enter(id)
      } catch {
        return undefined
      }
    },
    leave,
    /** Settles when none is busy, nor on its way in. */
    async idle(): Promise<void> {
      for (let busy = busyOnes(); busy.length > 0; busy = busyOnes()) {
        await Promise.all(busy.map(untilIdle))
        // Whoever brought it in may be about to speak to it.
        await setImmediate()
      }
    },
    /** Ends all agents at once; nobody comes in after it. */
    kill(): void {
      isClosed = true
      for (const { awake } of entries.values()) awake?.session.kill()
      // Those too that have only just been started.
      if (entries.size > 0) killTagged(sessionVariable, new Set(entries.keys()))
    },
    /** Makes room for an agent of this session: in a full house the one that rested longest goes. */
    async makeRoom(id: string): Promise<void> {
      const others = living(id)
      if (others.length < limit) return
      const [first] = others
        .filter(([, { session }]) => session.isResting())
        .sort(([, left], [, right]) => left.since() - right.since())
      if (!first) throw new Fault('too_many_sessions', fullHouse(limit))
      await leave(first[0], 'idle')
    },
    /** Ends them all; nobody comes in after it. */
    async close(): Promise<void> {
      isClosed = true
      await Promise.all([...entries.keys()].map((id) => leave(id, 'stopped')))
    },
  }
}
export type LoadedSessions = ReturnType<typeof createLoadedSessions>

/** One that cannot come in does nothing. */
const untilIdle = async ({ opened }: Entry): Promise<void> => {
  const awake = await opened.catch(() => undefined)
  await awake?.session.idle()
}

const fullHouse = (limit: number): string =>
  limit === 1
    ? '1 agent is at work: no more may live at once.'
    : `${limit} agents are at work: no more may live at once.`
