import type { NoticeEntry } from './entry.ts'
import { appendEntry, openThread } from './threads.ts'
import type { Incoming, Transcript } from './transcript.ts'

/** Appends a notice to the thread of an event. */
export const addNotice = (
  transcript: Transcript,
  { parentToolCallId, timestamp }: Incoming,
  notice: Omit<NoticeEntry, 'kind' | 'startedAt'>,
): Transcript => {
  const { transcript: opened, number } = openThread(transcript, parentToolCallId)
  return appendEntry(opened, number, {
    kind: 'notice',
    ...notice,
    ...(timestamp !== undefined && { startedAt: timestamp }),
  })
}

/** Appends an `error` event as a notice. */
export const addError = (transcript: Transcript, event: Incoming<'error'>): Transcript => {
  const { code, message: text, fatal } = event
  return addNotice(transcript, event, { level: 'error', text, code, fatal })
}
