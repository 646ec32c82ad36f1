/** Runs one at a time: those who ask while one runs share the next, which begins after they asked. */
export const singleFlight = <Answer>(work: () => Promise<Answer>): (() => Promise<Answer>) => {
  let running: Promise<Answer> | undefined
  let next: Promise<Answer> | undefined
  const run = (): Promise<Answer> => {
    const begun = work().finally(() => {
      if (running === begun) running = undefined
    })
    running = begun
    return begun
  }
  const afterwards = async (before: Promise<Answer>): Promise<Answer> => {
    await before.catch(() => undefined)
    next = undefined
    return run()
  }
  return () => {
    if (next !== undefined) return next
    if (running === undefined) return run()
    next = afterwards(running)
    return next
  }
}
