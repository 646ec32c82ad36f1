import type { Live } from '../../agents/live.ts'

/** What to do with a command when the process died before it accepted the command. */
export type RecoveryStep = 'restart' | 'new_conversation' | 'fail'

/**
 * The agent’s own conversation, which each new process continues. A process that dies while it starts
 * does not end it, unless the error message says that the conversation does not exist.
 */
export interface Resumption {
  /** The agent’s own id of the conversation. */
  nativeId(): string | undefined
  setNativeId(id: string): void
  processStarted(): void
  /** The process has printed an event. */
  outputSeen(): void
  /** The process ended by itself, with this error message. */
  processDied(errorMessage: string): void
  lastError(): string
  /** Whether the process ended because the agent does not know the conversation. */
  isConversationUnknown(): boolean
  /** What to do after the process died; undefined if resuming was not the cause. */
  recoveryStep(): RecoveryStep | undefined
  /** Gives the conversation up: the next process starts a new one. */
  forget(): void
}

export const createResumption = (
  live: Live | undefined,
  knownId: string | undefined,
): Resumption => {
  let nativeId = knownId
  /** This process continues a conversation. */
  let isResumed = false
  /** This process continues a conversation and has printed nothing yet. */
  let isSilent = false
  let hasDied = false
  /** How many processes in a row died silently. */
  let silentDeaths = 0
  let lastError = ''

  const isConversationUnknown = () => isResumed && live?.isUnknownSession?.(lastError) === true

  return {
    nativeId: () => nativeId,
    setNativeId(id) {
      nativeId = id
    },
    processStarted() {
      isResumed = nativeId !== undefined
      isSilent = isResumed
      hasDied = false
      lastError = ''
    },
    outputSeen() {
      isSilent = false
      silentDeaths = 0
    },
    processDied(errorMessage) {
      lastError = errorMessage
      hasDied = true
      if (isSilent) silentDeaths += 1
    },
    lastError: () => lastError,
    isConversationUnknown,
    recoveryStep() {
      if (isConversationUnknown()) return 'new_conversation'
      if (!isSilent || !hasDied) return undefined
      if (silentDeaths === 1) return 'restart'
      silentDeaths = 0 // the next command gets its two attempts again
      return 'fail'
    },
    forget() {
      nativeId = undefined
      silentDeaths = 0
      isResumed = false
      isSilent = false
    },
  }
}
