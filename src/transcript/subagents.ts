import type { Subagent } from '../events/types.ts'
import { defined } from '../shared/fields.ts'
import { openThread, putThread, threadAt, threadNumber } from './threads.ts'
import type { Incoming, Transcript } from './transcript.ts'

/** A tool call started a subagent. Its events form a thread of their own. */
export const startSubagent = (
  transcript: Transcript,
  event: Incoming<'subagent_start'>,
): Transcript => {
  const { kind, description, prompt } = event
  const { transcript: opened, number } = openThread(transcript, event.toolCallId)
  const subagent: Subagent = { ...defined({ kind, description, prompt }), isRunning: true }
  return putThread(opened, number, { ...threadAt(opened, number), subagent })
}

/** The subagent of a tool call ended. */
export const endSubagent = (
  transcript: Transcript,
  { toolCallId, isError, usage }: Incoming<'subagent_end'>,
): Transcript => {
  const number = threadNumber(transcript, toolCallId)
  if (number === undefined) return transcript
  const thread = threadAt(transcript, number)
  const subagent: Subagent = {
    ...thread.subagent,
    isRunning: false,
    ...defined({ isError, usage }),
  }
  return putThread(transcript, number, { ...thread, subagent })
}
