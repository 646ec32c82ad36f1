/**
 * Commands reach a session in the order in which they came, though more may have to be looked up
 * for one than for the next. Nobody waits for what comes of the one before.
 */
export const createCommandOrder = () => {
  const last = new Map<string, Promise<unknown>>()

  return {
    /** Prepares at once, and hands over when all that came before for this session is. */
    async handOver<Prepared, Result>(
      sessionId: string,
      prepare: () => Promise<Prepared>,
      run: (prepared: Prepared) => Promise<Result>,
    ): Promise<Result> {
      const before = last.get(sessionId)
      const given = (async () => {
        const prepared = await prepare()
        await before
        return { result: run(prepared) }
      })()
      // A refusal holds up nobody behind it.
      const passed = given.then(nothing, () => before)
      last.set(sessionId, passed)
      try {
        return await (await given).result
      } finally {
        if (last.get(sessionId) === passed) last.delete(sessionId)
      }
    },
    /** Of how many sessions commands are under way. */
    size: () => last.size,
  }
}
export type CommandOrder = ReturnType<typeof createCommandOrder>

const nothing = () => {}
