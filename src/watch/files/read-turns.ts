/** Who may read now. A few at once, so that memory and time are bounded however many files change. */
export interface ReadTurns {
  /** Does the work when it is its turn: the first come first. Resolves with how long it took, too. */
  take<Result>(
    options: { isFirst: boolean },
    work: () => Promise<Result>,
  ): Promise<{ result: Result; took: number }>
}

type Kind = 'first' | 'next'

/** The most readers at once. */
const maxReaders = 4
/** Those that read a file for the first time read all of it. Neither kind waits for ever for the other. */
const maxOfKind = { first: 2, next: 3 }

export const createReadTurns = (): ReadTurns => {
  const waiting: Record<Kind, (() => void)[]> = { first: [], next: [] }
  const running: Record<Kind, number> = { first: 0, next: 0 }

  const startNext = (): void => {
    if (running.first + running.next >= maxReaders) return
    const isFree = (kind: Kind) => waiting[kind].length > 0 && running[kind] < maxOfKind[kind]
    const kind = isFree('next') ? 'next' : isFree('first') ? 'first' : undefined
    if (kind === undefined) return
    running[kind] += 1
    waiting[kind].shift()?.()
    startNext()
  }
  const end = (kind: Kind): void => {
    running[kind] -= 1
    startNext()
  }

  return {
    async take({ isFirst }, work) {
      const kind = isFirst ? 'first' : 'next'
      await new Promise<void>((resolve) => {
        waiting[kind].push(resolve)
        startNext()
      })
      const began = performance.now()
      try {
        const result = await work()
        return { result, took: performance.now() - began }
      } finally {
        end(kind)
      }
    },
  }
}
