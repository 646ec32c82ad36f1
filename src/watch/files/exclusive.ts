/** Lets one at a time work with a file: two readers would store it twice. */
export interface Exclusive {
  has(file: string): boolean
  /** Resolves with what ends the turn, when nobody else has the file. */
  take(file: string): Promise<() => void>
}

export const createExclusive = (): Exclusive => {
  const taken = new Map<string, Promise<void>>()
  return {
    has: (file) => taken.has(file),
    async take(file) {
      for (let other = taken.get(file); other; other = taken.get(file)) await other
      const { promise, resolve } = Promise.withResolvers<void>()
      taken.set(file, promise)
      return () => {
        if (taken.get(file) === promise) taken.delete(file)
        resolve()
      }
    },
  }
}
