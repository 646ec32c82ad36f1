/** Lets one fault after the other strike the same thing. Faults of different things overlap. */
export interface Locks {
  /** Does something while nothing else holds one of the names. */
  holding(names: readonly string[], work: () => Promise<void>): Promise<void>
}

export const createLocks = (): Locks => {
  const last = new Map<string, Promise<void>>()
  return {
    async holding(names, work) {
      const before = names.map((name) => last.get(name))
      const done = Promise.withResolvers<void>()
      for (const name of names) last.set(name, done.promise)
      await Promise.all(before)
      try {
        await work()
      } finally {
        done.resolve()
      }
    },
  }
}
