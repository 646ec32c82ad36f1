/** Work that was started and has not ended, by session. */
export interface Unfinished {
  /** Waits for a piece of work, and counts it until it has ended. */
  add(sessionId: string, work: Promise<void>): Promise<void>
  /** Resolves when the work of a session, or of all, has ended. */
  settled(sessionId?: string): Promise<void>
}

export const createUnfinished = (): Unfinished => {
  const bySession = new Map<string, Set<Promise<void>>>()
  return {
    async add(sessionId, work) {
      const own = bySession.get(sessionId) ?? new Set()
      bySession.set(sessionId, own.add(work))
      try {
        await work
      } finally {
        own.delete(work)
        if (own.size === 0) bySession.delete(sessionId)
      }
    },
    async settled(sessionId) {
      const all = sessionId === undefined ? [...bySession.values()] : [bySession.get(sessionId)]
      await Promise.allSettled(all.flatMap((own) => [...(own ?? [])]))
    },
  }
}
