import type { RunOutcome } from '../events/types.ts'
import { defined } from '../shared/fields.ts'
import { createList, findLastIndex, itemAt, listItems } from './list.ts'
import { closeMessage } from './messages.ts'
import { addNotice } from './notices.ts'
import { threadAt } from './threads.ts'
import { interruptTools } from './tools.ts'
import type { Incoming, Thread, Transcript } from './transcript.ts'

/** A run starts. */
export const startRun = (transcript: Transcript): Transcript => ({
  ...transcript,
  isStreaming: true,
  outcome: null,
})

/**
 * A run ends. Messages, tools and subagents that are still open are closed with it, except those that
 * work in the background.
 */
export const endRun = (transcript: Transcript, event: Incoming<'agent_end'>): Transcript => {
  const background = backgroundThreads(transcript)
  const { status: _, ...after } = interruptTools(transcript, background)
  const threads = listItems(after.threads)
  const closeThread = (thread: Thread, number: number) =>
    background.has(number) ? thread : close(thread)
  const ended = {
    ...after,
    threads: threads.some(isOpen) ? createList(threads.map(closeThread)) : after.threads,
    isStreaming: false,
    retry: null,
    compaction: null,
    outcome: outcomeOf(event),
  }
  return event.stopReason === 'aborted' && !showsStop(ended)
    ? addNotice(ended, event, { level: 'info', text: 'Stopped.' })
    : ended
}

/** Whether the last message of the conversation says that it was stopped. Notices may follow it. */
const showsStop = (transcript: Transcript): boolean => {
  const { entries } = threadAt(transcript, 0)
  const last = itemAt(
    entries,
    findLastIndex(entries, ({ kind }) => kind !== 'notice'),
  )
  if (last?.kind !== 'message' || last.message.stopReason !== 'aborted') return false
  return last.message.errorMessage !== undefined || last.message.content.length > 0
}

/** The threads of background tasks, whose calls have ended, and those inside them. */
const backgroundThreads = ({ tasks, running, threadOf }: Transcript): ReadonlySet<number> => {
  const threads = new Set<number>()
  const add = (toolCallId: string) => {
    const thread = threadOf.get(toolCallId)
    if (thread !== undefined) threads.add(thread)
  }
  for (const { isBackground, state, toolCallId } of tasks)
    if (isBackground && state === 'running' && toolCallId !== undefined && !running.has(toolCallId))
      add(toolCallId)
  // A call comes before the calls inside it.
  for (const [toolCallId, { thread }] of running) if (threads.has(thread)) add(toolCallId)
  return threads
}

/** The agent will retry a failed model call. */
export const startRetry = (
  transcript: Transcript,
  event: Incoming<'auto_retry_start'>,
): Transcript => {
  const { attempt, delayMs, reason, rawReason, maxAttempts, source, timestamp } = event
  const retry = {
    attempt,
    delayMs,
    reason,
    ...defined({ rawReason, maxAttempts, source, startedAt: timestamp }),
  }
  return { ...transcript, retry }
}

const outcomeOf = (event: Incoming<'agent_end'>): RunOutcome => {
  const { stopReason, errorMessage, interrupted, durationMs, durationApiMs, numTurns } = event
  return defined({ stopReason, errorMessage, interrupted, durationMs, durationApiMs, numTurns })
}

const isOpen = ({ open, subagent }: Thread): boolean =>
  open !== null || subagent?.isRunning === true

const close = (thread: Thread): Thread => {
  if (!isOpen(thread)) return thread
  const { subagent, ...rest } = closeMessage(thread)
  return { ...rest, subagent: subagent && { ...subagent, isRunning: false } }
}
