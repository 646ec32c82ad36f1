/** A call that runs at most once at a time; after a failure, the next call tries again. */
export interface Once<Value> {
  /** Starts the work, or returns the promise of the work that has started. */
  (): Promise<Value>
  /** The promise, if the work has started. */
  current(): Promise<Value> | undefined
}

/** Wraps work that several callers want done once. */
export const once = <Value>(work: () => Promise<Value>): Once<Value> => {
  let started: Promise<Value> | undefined
  const run = (): Promise<Value> => {
    started ??= work().catch((cause: unknown) => {
      started = undefined
      throw cause
    })
    return started
  }
  return Object.assign(run, { current: () => started })
}
