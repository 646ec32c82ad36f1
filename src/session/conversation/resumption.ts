import type { Live, LiveOptions } from '../../agents/live.ts'
import { defined } from '../../shared/fields.ts'

/** What to do with a command when the process died before it accepted the command. */
export type RecoveryStep = 'restart' | 'new_conversation' | 'fail'

/**
 * The agent’s own conversation, which each new process continues. A process that dies while it starts
 * does not end it, unless the error message says that the conversation does not exist.
 */
export interface Resumption {
  /** What the next process continues: the conversation itself, or a copy of the one it was forked from. */
  target(): Pick<LiveOptions, 'resume' | 'mustResume' | 'fork' | 'forkAt'>
  /** Notes the agent’s own id of the conversation. False for the id of the one it was forked from. */
  setNativeId(id: string): boolean
  processStarted(): void
  /**
   * Whether this process is the first to continue a conversation, or a copy of one, that others have
   * used before: its counters may go on from theirs.
   */
  hasEarlierUsage(): boolean
  /** The process has printed an event. */
  outputSeen(): void
  /** The process ended by itself, with this error message. */
  processDied(errorMessage: string): void
  lastError(): string
  /** Whether the process ended because the agent does not know the session’s conversation. */
  isConversationUnknown(): boolean
  /** What to do after the process died; undefined if resuming was not the cause. */
  recoveryStep(): RecoveryStep | undefined
  /** Gives the conversation up: the next process starts a new one. */
  forget(): void
}

export const createResumption = (
  live: Live | undefined,
  known: {
    nativeId?: string
    continuedNativeId?: string
    forkedNativeId?: string
    forkedAt?: string
  },
): Resumption => {
  let { nativeId } = known
  /** Whether there is a conversation to copy, as long as the session has none of its own. */
  let isFork = known.forkedNativeId !== undefined
  /** Whether there is a conversation to continue, as long as the session has none of its own. */
  let isContinued = known.continuedNativeId !== undefined
  /** This process continues a conversation. */
  let isResumed = false
  let isCopy = false
  /** This process is the first of the session to continue a conversation from before it. */
  let isFirst = false
  /** This process continues a conversation and has printed nothing yet. */
  let isSilent = false
  let hasDied = false
  /** How many processes in a row died silently. */
  let silentDeaths = 0
  let lastError = ''

  const target: Resumption['target'] = () => {
    if (nativeId !== undefined) return { resume: nativeId }
    const { continuedNativeId, forkedNativeId, forkedAt } = known
    if (isContinued && continuedNativeId !== undefined)
      return { resume: continuedNativeId, mustResume: true }
    return isFork && forkedNativeId !== undefined
      ? { resume: forkedNativeId, fork: true, ...defined({ forkAt: forkedAt }) }
      : {}
  }
  const isTargetUnknown = () => isResumed && live?.isUnknownSession?.(lastError) === true
  // A new conversation would be no copy: the person must learn that there is nothing to copy.
  const isConversationUnknown = () => isTargetUnknown() && !isCopy && !isFirst

  return {
    target,
    setNativeId(id) {
      // A process that resumed it would write into the conversation of the other session.
      if (id === known.forkedNativeId) return false
      nativeId = id
      return true
    },
    processStarted() {
      isResumed = target().resume !== undefined
      isCopy = target().fork === true
      isFirst = target().mustResume === true
      isSilent = isResumed
      hasDied = false
      lastError = ''
    },
    hasEarlierUsage: () => isCopy || isFirst,
    outputSeen() {
      isSilent = false
      silentDeaths = 0
    },
    processDied(errorMessage) {
      lastError = errorMessage
      hasDied = true
      if (isSilent) silentDeaths += 1
    },
    lastError: () => (isCopy && isTargetUnknown() ? `${notCopied} ${lastError}` : lastError),
    isConversationUnknown,
    recoveryStep() {
      if (isConversationUnknown()) return 'new_conversation'
      if (isTargetUnknown()) return 'fail'
      if (!isSilent || !hasDied) return undefined
      if (silentDeaths === 1) return 'restart'
      silentDeaths = 0 // the next command gets its two attempts again
      return 'fail'
    },
    forget() {
      nativeId = undefined
      isFork = false
      isContinued = false
      silentDeaths = 0
      isResumed = false
      isSilent = false
    },
  }
}

const notCopied =
  'The agent does not have the conversation to copy. It stores a conversation with the first answer: if the other session is still working on that, wait and send the message again.'
