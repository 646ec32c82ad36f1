/** Which reader adds to a session. Two files can be of one session: a file that was moved, or copied. */
export interface ReaderClaims {
  /**
   * Waits until no other reader adds to the session. Resolves with whether another one has added to it
   * since this reader was the last: then what this reader knows of it is old.
   */
  claim(sessionId: string, reader: object): Promise<{ isStale: boolean }>
  /** Ends the claim. Does nothing if the reader has none. */
  release(sessionId: string, reader: object): void
  /** Forgets a reader that adds nothing any more. */
  forget(sessionId: string, reader: object): void
}

interface Claims {
  readers: Set<object>
  holder: object | undefined
  last: object | undefined
  waiting: (() => void)[]
}

export const createReaderClaims = (): ReaderClaims => {
  const sessions = new Map<string, Claims>()

  const release = (sessionId: string, reader: object): void => {
    const claims = sessions.get(sessionId)
    if (claims?.holder !== reader) return
    claims.holder = undefined
    claims.waiting.shift()?.()
  }

  return {
    async claim(sessionId, reader) {
      const claims = sessions.get(sessionId) ?? newClaims()
      sessions.set(sessionId, claims)
      claims.readers.add(reader)
      while (claims.holder && claims.holder !== reader)
        await new Promise<void>((resolve) => claims.waiting.push(resolve))
      const isStale = claims.last !== undefined && claims.last !== reader
      claims.holder = reader
      claims.last = reader
      return { isStale }
    },
    release,
    forget(sessionId, reader) {
      release(sessionId, reader)
      const claims = sessions.get(sessionId)
      claims?.readers.delete(reader)
      if (claims?.readers.size === 0) sessions.delete(sessionId)
    },
  }
}

const newClaims = (): Claims => ({
  ...{ readers: new Set(), holder: undefined, last: undefined, waiting: [] },
})
