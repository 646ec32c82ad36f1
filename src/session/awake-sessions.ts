import { Fault } from '../events/fault.ts'
import type { EndReason } from './runner.ts'
import type { Awake } from './wake.ts'

interface Entry {
  opened: Promise<Awake>
  /** Once it is open. */
  awake?: Awake
  /** It is on its way out; only then can it come in again. */
  leaving?: Promise<void>
}

export interface AwakeOptions {
  open(id: string): Promise<Awake>
  /** One has left. */
  onLeft(id: string): void
  /** How many agents may live at once. */
  limit: number
}

/** The sessions that are in memory: each once, for as long as it is used. */
export const createAwakeSessions = ({ open, onLeft, limit }: AwakeOptions) => {
  const entries = new Map<string, Entry>()

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
      .then((awake) => awake.close(reason))
      .finally(() => {
        entries.delete(id)
        onLeft(id)
      })
    await entry.leaving
  }

  /** Those whose agent lives, but not the one that asks. */
  const living = (id: string): [id: string, awake: Awake][] =>
    [...entries].flatMap(([each, { awake, leaving }]) =>
      each !== id && leaving === undefined && awake?.session.isAlive() ? [[each, awake]] : [],
    )

  return {
    /** A session, brought into memory if it is not there. */
    async enter(id: string): Promise<Awake> {
      let entry = entries.get(id)
      while (entry?.leaving !== undefined) {
        await entry.leaving
        entry = entries.get(id)
      }
      const awake = await (entry ?? add(id)).opened
      awake.touch()
      return awake
    },
    /** A session, if it is in memory. */
    peek(id: string): Awake | undefined {
      const entry = entries.get(id)
      return entry?.leaving === undefined ? entry?.awake : undefined
    },
    leave,
    /** Makes room for an agent of this session: in a full house the one that rested longest goes. */
    async makeRoom(id: string): Promise<void> {
      const others = living(id)
      if (others.length < limit) return
      const [first] = others
        .filter(([, { session }]) => session.isResting())
        .sort(([, left], [, right]) => left.since() - right.since())
      if (!first) throw new Fault('too_many_sessions', `${limit} agents are at work.`)
      await leave(first[0], 'idle')
    },
    async close(): Promise<void> {
      await Promise.all([...entries.keys()].map((id) => leave(id, 'stopped')))
    },
  }
}
export type AwakeSessions = ReturnType<typeof createAwakeSessions>
