import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Baseline, loadBaseline, saveBaseline, takeRoots } from './baseline.ts'
import { GitFault } from './git.ts'
import type { RootDeps } from './repository.ts'

/** The event that a turn begins with. */
export interface TurnStart {
  seq: number
  timestamp: number
}

/** The directory of a session, or the promise to find it; undefined where there is none any more. */
export type Place = string | Promise<string | undefined>

export interface TurnKeeperOptions {
  /** The session’s own. */
  folder: string
  /** What git is given; it is stopped by the signal. */
  world(signal: AbortSignal): RootDeps
  onError(cause: unknown): void
}

/** Keeps the state in which the last turn of one session began. */
export const createTurnKeeper = ({ folder, world, onError }: TurnKeeperOptions) => {
  const file = join(folder, 'base.json')
  let base: Baseline | undefined
  /** Whether it is known that no turn has begun since. */
  let isLast = false
  let current = new AbortController()
  let begun: Promise<void> = Promise.resolve()
  let tidied: Promise<void> = Promise.resolve()
  const readers = new Set<Promise<unknown>>()

  const take = async (at: Place, start: TurnStart, signal: AbortSignal): Promise<void> => {
    const cwd = await known(at)
    if (cwd === undefined || signal.aborted) return
    const turn = `turn-${start.seq}`
    const plain = { seq: start.seq, at: start.timestamp, cwd, turn, roots: [] }
    try {
      await rm(join(folder, turn), { recursive: true, force: true })
      await mkdir(join(folder, turn), { recursive: true, mode: 0o700 })
      const roots = await takeRoots(world(signal), cwd, join(folder, turn))
      base = { ...plain, roots }
    } catch (cause) {
      if (signal.aborted) return
      base = { ...plain, reason: cause instanceof GitFault ? cause.reason : 'git_failed' }
      if (!isExpected(cause)) onError(cause)
    }
    isLast = true
    await save(base)
    tidied = tidied.then(() => tidy(turn))
  }

  const known = async (at: Place): Promise<string | undefined> => {
    try {
      return await at
    } catch (cause) {
      onError(cause)
      return undefined
    }
  }

  const save = async (taken: Baseline): Promise<void> => {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await saveBaseline(file, taken)
    } catch (cause) {
      onError(cause)
    }
  }

  /** Takes earlier turns away, when nobody reads them any more. */
  const tidy = async (turn: string): Promise<void> => {
    await Promise.allSettled(readers)
    try {
      const others = (await readdir(folder)).filter((name) => /^turn-/.test(name) && name !== turn)
      for (const name of others) await rm(join(folder, name), { recursive: true, force: true })
    } catch (cause) {
      onError(cause)
    }
  }

  return {
    /** Begins at once, and never fails: what went wrong is told by the base. A newer one stops it. */
    begin(at: Place, start: TurnStart): Promise<void> {
      current.abort()
      const mine = new AbortController()
      current = mine
      const before = begun
      begun = before.then(() => (mine.signal.aborted ? undefined : take(at, start, mine.signal)))
      return begun
    },
    /** The base, when it is complete; and whether a later turn may have begun without one. */
    async base(): Promise<{ base: Baseline | undefined; isLast: boolean }> {
      let waited: Promise<void> | undefined
      while (waited !== begun) {
        waited = begun
        await waited
      }
      base ??= await loadBaseline(file)
      return { base, isLast }
    },
    /** Takes it for the last one. */
    adopt(found: Baseline): void {
      base = found
      isLast = true
    },
    /** Reads what the base refers to; it stays until the work is done. */
    async use<Answer>(work: (directory: string) => Promise<Answer>, of: Baseline): Promise<Answer> {
      const reading = work(join(folder, of.turn))
      readers.add(reading)
      try {
        return await reading
      } finally {
        readers.delete(reading)
      }
    },
    async close(): Promise<void> {
      current.abort()
      await begun
      await Promise.allSettled(readers)
      await tidied
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
export type TurnKeeper = ReturnType<typeof createTurnKeeper>

/** A directory without git is no news. */
const isExpected = (cause: unknown): boolean =>
  cause instanceof GitFault && (cause.reason === 'no_work_tree' || cause.reason === 'git_missing')
