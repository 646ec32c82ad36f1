/** What is thrown where a run is when it is stopped. */
export const stopped = new Error('stopped')

/** Waits, unless the run is stopped first. Even no time lets a command in. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  unlessStopped(signal, (resolve) => {
    const timer = setTimeout(resolve, ms)
    return () => clearTimeout(timer)
  })

/** A promise that a stop ends; `begin` gives the undo of what it began. */
export const unlessStopped = <Value>(
  signal: AbortSignal,
  begin: (resolve: (value: Value) => void) => () => void,
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
  const undo = begin((value) => {
    signal.removeEventListener('abort', stop)
    resolve(value)
  })
  signal.addEventListener('abort', stop, { once: true })
  return promise
}

/** A text in the pieces that it is streamed in: each word with the white space after it. */
export const splitWords = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? []
