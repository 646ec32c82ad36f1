import type { CountedCall, Family, FamilyOptions } from './family.ts'
import { createFamily } from './family.ts'

/** The most calls in memory, of all families together. One family may have more. */
const maxCalls = 200_000

/** All families. The calls of those that are used are in memory, and of as many others as fit. */
export interface Families {
  /** The family of the sessions that begin with the same message. */
  get(beginning: string): Family
  /** Which session counts which call. `isUsed`: whether somebody else still needs a family’s calls. */
  calls(
    family: Family,
    isUsed: (family: Family) => boolean,
  ): Promise<ReadonlyMap<string, CountedCall>>
}

export const createFamilies = (options: FamilyOptions): Families => {
  const families = new Map<string, Family>()
  /** Those whose calls are in memory. Those that were used last come last. */
  const loaded = new Set<Family>()

  const makeRoom = (isUsed: (family: Family) => boolean): void => {
    let size = 0
    for (const family of loaded) size += family.size()
    for (const family of loaded) {
      if (size <= maxCalls) return
      if (isUsed(family)) continue
      size -= family.size()
      family.forget()
      loaded.delete(family)
    }
  }

  return {
    get(beginning) {
      const family = families.get(beginning) ?? createFamily(options)
      families.set(beginning, family)
      return family
    },
    async calls(family, isUsed) {
      loaded.delete(family)
      loaded.add(family)
      const calls = await family.calls()
      makeRoom((each) => each === family || isUsed(each))
      return calls
    },
  }
}
