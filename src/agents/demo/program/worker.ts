/** Runs one job at a time, which can be stopped. */
export interface Worker {
  isBusy(): boolean
  /** Runs a job; resolves at its end, also if it fails. */
  run(job: (signal: AbortSignal) => Promise<void>): Promise<void>
  /** Stops the job that runs; resolves when it has ended. */
  stop(): Promise<void>
}

export const createWorker = (onFailure: (cause: unknown) => void): Worker => {
  let running: Promise<void> | undefined
  let controller = new AbortController()

  return {
    isBusy: () => running !== undefined,
    run(job) {
      controller = new AbortController()
      running = job(controller.signal)
        .catch(onFailure)
        .finally(() => {
          running = undefined
        })
      return running
    },
    async stop() {
      controller.abort()
      await running
    },
  }
}
