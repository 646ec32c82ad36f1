/** Sends the commands of each session in the order in which they arrived. */
export interface CommandOrder {
  /**
   * Calls `prepare` at once, which may take longer for one command than for the next, and `send` when
   * all earlier commands of the session have been sent. It does not wait for their results.
   */
  run<Prepared, Result>(
    sessionId: string,
    prepare: () => Promise<Prepared>,
    send: (prepared: Prepared) => Promise<Result>,
  ): Promise<Result>
  /** How many sessions have commands under way. */
  size(): number
}

export const createCommandOrder = (): CommandOrder => {
  /** Per session: resolves when its latest command has been sent. */
  const latest = new Map<string, Promise<unknown>>()

  return {
    async run(sessionId, prepare, send) {
      const earlier = latest.get(sessionId)
      const sent = (async () => {
        const prepared = await prepare()
        await earlier
        return { result: send(prepared) }
      })()
      // A command that fails does not stop the ones behind it.
      const done = sent.then(
        () => {},
        () => earlier,
      )
      latest.set(sessionId, done)
      try {
        return await (await sent).result
      } finally {
        if (latest.get(sessionId) === done) latest.delete(sessionId)
      }
    },
    size: () => latest.size,
  }
}
