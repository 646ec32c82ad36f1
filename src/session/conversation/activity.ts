/** Whether a run goes on or a prompt is on its way, and those who wait for either to change. */
export const createActivityTracker = () => {
  let running = false
  let prompting = false
  let begins = Promise.withResolvers<void>()
  let rests = Promise.withResolvers<void>()

  return {
    isRunning: () => running,
    isBusy: () => running || prompting,
    /** A prompt is on its way; sent once more, it is the same one. */
    prompted(): void {
      if (!prompting) begins = Promise.withResolvers()
      prompting = true
    },
    began(): void {
      running = true
      prompting = false
      begins.resolve()
    },
    /** The run is over, or none came of the prompt. */
    rested(): void {
      running = false
      prompting = false
      begins.resolve()
      rests.resolve()
      rests = Promise.withResolvers()
    },
    /** Settles when a run comes of the last prompt, or none does. */
    begins: (): Promise<void> => begins.promise,
    /** Settles when nothing goes on any more, if something does. */
    rests: (): Promise<void> => rests.promise,
  }
}
export type ActivityTracker = ReturnType<typeof createActivityTracker>
