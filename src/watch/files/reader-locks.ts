/**
 * Which reader of this process adds to a session. Two files can be of one session: a file that was moved, or
 * copied. Between nodes, `SessionClaims` decides.
 */
export interface ReaderLocks {
  /**
   * Waits until no other reader adds to the session. Resolves with whether another one has added to it
   * since this reader was the last: then what this reader knows of it is old.
   */
  lock(sessionId: string, reader: object): Promise<{ isStale: boolean }>
  /** Lets others add to it. Does nothing if the reader does not have the lock. */
  unlock(sessionId: string, reader: object): void
  /** Forgets a reader that adds nothing any more. */
  forget(sessionId: string, reader: object): void
}

interface Lock {
  readers: Set<object>
  holder: object | undefined
  last: object | undefined
  waiting: (() => void)[]
}

export const createReaderLocks = (): ReaderLocks => {
  const sessions = new Map<string, Lock>()

  const unlock = (sessionId: string, reader: object): void => {
    const lock = sessions.get(sessionId)
    if (lock?.holder !== reader) return
    lock.holder = undefined
    lock.waiting.shift()?.()
  }

  return {
    async lock(sessionId, reader) {
      const lock = sessions.get(sessionId) ?? newLock()
      sessions.set(sessionId, lock)
      lock.readers.add(reader)
      while (lock.holder && lock.holder !== reader)
        await new Promise<void>((resolve) => lock.waiting.push(resolve))
      const isStale = lock.last !== undefined && lock.last !== reader
      lock.holder = reader
      lock.last = reader
      return { isStale }
    },
    unlock,
    forget(sessionId, reader) {
      unlock(sessionId, reader)
      const lock = sessions.get(sessionId)
      lock?.readers.delete(reader)
      if (lock?.readers.size === 0) sessions.delete(sessionId)
    },
  }
}

const newLock = (): Lock => ({
  ...{ readers: new Set(), holder: undefined, last: undefined, waiting: [] },
})
