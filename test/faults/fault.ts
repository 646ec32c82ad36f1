import { createRandom, type Random } from './random.ts'

/** One kind of fault. It is tried a few times in `npm test`, and for minutes in `npm run soak`. */
export interface Fault {
  /** Its name on the command line of `npm run soak`. */
  readonly name: string
  /** What one try does, in a few words. */
  readonly title: string
  /** Why it cannot be tried on this machine; undefined when it can. */
  problem?(): string | undefined
  /** Tries it as long as `goesOn` says so. Throws when a promise is broken. */
  run(trial: Trial): Promise<void>
}

/** What a fault gets from the program that tries it. */
export interface Trial {
  readonly seed: number
  /** Random choices, which the seed determines. */
  readonly random: Random
  /** Whether there is another try. Called once before each. */
  goesOn(): boolean
  /** Counts what was compared, by name. */
  count(what: string, howMany?: number): void
  /** Says what is done now, for people who follow a long run. */
  note(what: string): void
  /** Undoes something at the end, in reverse order, also after a failure. */
  defer(undo: () => unknown): void
}

export interface TrialOptions {
  seed: number
  /** Whether there is a try after so many. */
  goesOn(tried: number): boolean
  /** Called before each try. */
  onTry?(tried: number): void
  onNote?(what: string): void
}

/** How often a fault was tried, and what was compared. */
export interface TrialResult {
  tried: number
  counts: ReadonlyMap<string, number>
}

/** Tries a fault. Throws what the fault has thrown, with the seed that repeats it. */
export const tryFault = async (fault: Fault, options: TrialOptions): Promise<TrialResult> => {
  const counts = new Map<string, number>()
  const undos: (() => unknown)[] = []
  let tried = 0
  const trial: Trial = {
    seed: options.seed,
    random: createRandom(options.seed),
    goesOn() {
      if (!options.goesOn(tried)) return false
      options.onTry?.(tried)
      tried += 1
      return true
    },
    count(what, howMany = 1) {
      counts.set(what, (counts.get(what) ?? 0) + howMany)
    },
    note: (what) => options.onNote?.(what),
    defer: (undo) => void undos.push(undo),
  }
  try {
    await fault.run(trial)
  } catch (cause) {
    const where = `try ${tried} of the fault "${fault.name}" with seed ${options.seed}`
    throw new Error(`${where}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  } finally {
    for (const undo of undos.reverse()) await undo()
  }
  return { tried, counts }
}

/** Throws when a promise is broken. */
export function requireThat(holds: boolean, message: string | (() => string)): asserts holds {
  if (!holds) throw new Error(typeof message === 'string' ? message : message())
}
