/** Lets a few pieces of work run at once. The others wait. */
export interface WorkSlots {
  take<Result>(work: () => Promise<Result>): Promise<Result>
}

export const createWorkSlots = (atOnce: number): WorkSlots => {
  const waiting: (() => void)[] = []
  let running = 0
  return {
    async take(work) {
      if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve))
      else running += 1
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else running -= 1
      }
    },
  }
}
