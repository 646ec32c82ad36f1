/** Runs `work` for all items, some at a time. The results are in the order of the items. */
export const inBatches = async <Item, Result>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = []
  for (let start = 0; start < items.length; start += size)
    results.push(...(await Promise.all(items.slice(start, start + size).map(work))))
  return results
}

/**
 * Runs `work` one at a time. Callers that come while it runs share the next run, which starts after
 * they called: it sees what was there when they did.
 */
export const singleFlight = <Result>(work: () => Promise<Result>): (() => Promise<Result>) => {
  let running: Promise<Result> | undefined
  let next: Promise<Result> | undefined
  const run = (): Promise<Result> => {
    const started = work().finally(() => {
      if (running === started) running = undefined
    })
    running = started
    return started
  }
  const runAfter = async (before: Promise<Result>): Promise<Result> => {
    await before.catch(() => undefined)
    next = undefined
    return run()
  }
  return () => {
    if (next !== undefined) return next
    if (running === undefined) return run()
    next = runAfter(running)
    return next
  }
}
