import type { NoticeEntry } from './entry.ts'
import { append, openThread } from './threads.ts'
import type { Incoming, Transcript } from './transcript.ts'

/** A remark for people takes its place in the conversation. */
export const addNotice = (
  transcript: Transcript,
  { parentToolCallId, timestamp }: Incoming,
  notice: Omit<NoticeEntry, 'kind' | 'startedAt'>,
): Transcript => {
  const { transcript: opened, number } = openThread(transcript, parentToolCallId)
  return append(opened, number, {
    kind: 'notice',
    ...notice,
    ...(timestamp !== undefined && { startedAt: timestamp }),
  })
}

/** Something went wrong that is not a model’s message. */
export const addError = (transcript: Transcript, event: Incoming<'error'>): Transcript => {
  const { code, message: text, fatal } = event
  return addNotice(transcript, event, { level: 'error', text, code, fatal })
}
