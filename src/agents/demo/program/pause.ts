/** Thrown inside a run when it is stopped. */
export const stopped = new Error('stopped')

/** Waits, unless the run is stopped first. A wait of 0 ms still lets commands in. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  unlessStopped(signal, (resolve) => {
    const timer = setTimeout(resolve, ms)
    return () => clearTimeout(timer)
  })

/** A promise that rejects with `stopped` when the run is stopped; `start` returns its undo. */
export const unlessStopped = <Value>(
  signal: AbortSignal,
  start: (resolve: (value: Value) => void) => () => void,
): Promise<Value> => {
  const { promise, resolve, reject } = Promise.withResolvers<Value>()
  if (signal.aborted) {
    reject(stopped)
    return promise
  }
  const stop = () => {
    undo()
    reject(stopped)
  }
  const undo = start((value) => {
    signal.removeEventListener('abort', stop)
    resolve(value)
  })
  signal.addEventListener('abort', stop, { once: true })
  return promise
}

/** The deltas of a text: each word with the white space after it. */
export const splitWords = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? []
