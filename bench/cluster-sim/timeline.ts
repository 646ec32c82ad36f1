/** Runs steps in the order of their times. */
export interface Timeline {
  /** Runs a step at a time, in ms. */
  at(time: number, step: (time: number) => void): void
  /** Runs everything up to a time. */
  runUntil(end: number): void
}

interface Step {
  readonly time: number
  readonly run: (time: number) => void
}

/** A timeline in a binary heap: a simulation has millions of steps. */
export const createTimeline = (): Timeline => {
  const heap: Step[] = []
  const timeOf = (index: number): number => heap[index]?.time ?? Number.POSITIVE_INFINITY
  const swap = (one: number, other: number): void => {
    const [left, right] = [heap[one], heap[other]]
    if (left && right) [heap[one], heap[other]] = [right, left]
  }
  const rise = (index: number): void => {
    for (let child = index; child > 0; ) {
      const parent = (child - 1) >> 1
      if (timeOf(parent) <= timeOf(child)) return
      swap(parent, child)
      child = parent
    }
  }
  const sink = (): void => {
    for (let parent = 0; ; ) {
      const left = 2 * parent + 1
      const child = timeOf(left + 1) < timeOf(left) ? left + 1 : left
      if (timeOf(child) >= timeOf(parent)) return
      swap(parent, child)
      parent = child
    }
  }
  const take = (): Step | undefined => {
    const first = heap[0]
    const last = heap.pop()
    if (!first || !last || heap.length === 0) return first
    heap[0] = last
    sink()
    return first
  }
  return {
    at(time, run) {
      heap.push({ time, run })
      rise(heap.length - 1)
    },
    runUntil(end) {
      while (timeOf(0) <= end) {
        const step = take()
        step?.run(step.time)
      }
    },
  }
}

/** Something that works on one thing at a time on each of its cores, in the order of arrival. */
export interface Station {
  /** Does some work that arrives at a time. Returns when it is done, in ms. */
  work(time: number, us: number): number
  /** How much of its time until then it has worked. */
  usage(until: number): number
}

/** `speed`: which part of a core it gets. A shared station, such as the machine, limits it further. */
export const createStation = (cores: number, speed = 1, shared?: Station): Station => {
  const free = Array.from({ length: cores }, () => 0)
  let busyMs = 0
  return {
    work(time, us) {
      let best = 0
      for (let core = 1; core < cores; core += 1)
        if ((free[core] ?? 0) < (free[best] ?? 0)) best = core
      const start = Math.max(time, free[best] ?? 0)
      const own = us / 1000 / speed
      const end = shared ? Math.max(start + own, shared.work(start, us)) : start + own
      busyMs += end - start
      free[best] = end
      return end
    },
    usage: (until) => busyMs / (until * cores),
  }
}
