import { items, listOf } from './list.ts'
import { closed } from './messages.ts'
import { interruptTools } from './tools.ts'
import type { Incoming, RunOutcome, Thread, Transcript } from './transcript.ts'

/** A run begins. */
export const startRun = (transcript: Transcript): Transcript => ({
  ...transcript,
  isStreaming: true,
  outcome: null,
})

/** A run is over: whatever is still open will never end by itself. */
export const endRun = (transcript: Transcript, event: Incoming<'agent_end'>): Transcript => {
  const { status: _, ...after } = interruptTools(transcript)
  const threads = items(after.threads)
  return {
    ...after,
    threads: threads.some(isOpen) ? listOf(threads.map(settled)) : after.threads,
    isStreaming: false,
    retry: null,
    compaction: null,
    outcome: outcomeOf(event),
  }
}

/** A failed call will be tried again. */
export const startRetry = (
  transcript: Transcript,
  event: Incoming<'auto_retry_start'>,
): Transcript => {
  const { attempt, delayMs, reason, maxAttempts, source, timestamp } = event
  const retry = {
    attempt,
    delayMs,
    reason,
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(source !== undefined && { source }),
    ...(timestamp !== undefined && { startedAt: timestamp }),
  }
  return { ...transcript, retry }
}

const outcomeOf = ({
  stopReason,
  errorMessage,
  interrupted,
}: Incoming<'agent_end'>): RunOutcome => ({
  ...(stopReason !== undefined && { stopReason }),
  ...(errorMessage !== undefined && { errorMessage }),
  ...(interrupted && { interrupted }),
})

const isOpen = ({ open, subagent }: Thread): boolean =>
  open !== null || subagent?.isRunning === true

const settled = (thread: Thread): Thread => {
  if (!isOpen(thread)) return thread
  const { subagent, ...rest } = closed(thread)
  return { ...rest, subagent: subagent && { ...subagent, isRunning: false } }
}
