import type { Live } from '../../agents/live.ts'

/** What is done with a command whose process died before it took it. */
export type Verdict = 'again' | 'anew' | 'failed'

/**
 * The agent’s own conversation that a session goes on with. A process that dies at its start says
 * nothing about that conversation, unless its last words do: it is not given up for a crash.
 */
export const createResumption = (live: Live | undefined, known: string | undefined) => {
  let nativeId = known
  /** This process was to go on with a conversation. */
  let isResumed = false
  /** And has said nothing yet. */
  let isSilent = false
  let hasDied = false
  /** How many have died so, one after another. */
  let deaths = 0
  let lastWords = ''

  const isUnknown = () => isResumed && live?.isUnknown?.(lastWords) === true

  return {
    nativeId: () => nativeId,
    named(id: string): void {
      nativeId = id
    },
    started(): void {
      isResumed = nativeId !== undefined
      isSilent = isResumed
      hasDied = false
      lastWords = ''
    },
    spoke(): void {
      isSilent = false
      deaths = 0
    },
    /** The process has died by itself, with these words. */
    died(words: string): void {
      lastWords = words
      hasDied = true
      if (isSilent) deaths += 1
    },
    lastWords: () => lastWords,
    /** The agent said that it has no such conversation. */
    isUnknown,
    /** Undefined where the death has nothing to do with going on. */
    verdict(): Verdict | undefined {
      if (isUnknown()) return 'anew'
      if (!isSilent || !hasDied) return undefined
      if (deaths === 1) return 'again'
      deaths = 0 // the next command has its two tries again
      return 'failed'
    },
    forget(): void {
      nativeId = undefined
      deaths = 0
      isResumed = false
      isSilent = false
    },
  }
}
export type Resumption = ReturnType<typeof createResumption>
