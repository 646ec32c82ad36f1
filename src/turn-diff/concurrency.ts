/** Does the same to all, some at a time; the answers are in order. */
export const inBatches = async <Item, Answer>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<Answer>,
): Promise<Answer[]> => {
  const answers: Answer[] = []
  for (let start = 0; start < items.length; start += size)
    answers.push(...(await Promise.all(items.slice(start, start + size).map(work))))
  return answers
}

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
