/** Work that is done one step after the other. */
export interface Steps {
  /** Does a step behind all others. Resolves when it is done, or left out. Never rejects. */
  enqueue(step: () => Promise<void>): Promise<void>
  /** Does a step after a time. It takes the place of the one that waits like this. */
  after(ms: number, step: () => Promise<void>): void
  /** Leaves out all further steps. */
  stop(): void
}

export const createSteps = (onFailed: (cause: unknown) => Promise<void>): Steps => {
  let work = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  const enqueue = (step: () => Promise<void>): Promise<void> => {
    work = work.then(() => (isStopped ? undefined : step())).catch(onFailed)
    return work
  }
  return {
    enqueue,
    after(ms, step) {
      clearTimeout(timer)
      if (!isStopped) timer = setTimeout(() => void enqueue(step), ms).unref()
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
