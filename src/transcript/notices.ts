import type { Message } from '../events/types.ts'
import type { NoticeEntry } from './entry.ts'
import { findLastIndex, itemAt } from './list.ts'
import { appendEntry, openThread, threadAt } from './threads.ts'
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

/** Appends an `error` event as a notice, unless the message that it is about shows it already. */
export const addError = (transcript: Transcript, event: Incoming<'error'>): Transcript => {
  const { code, message: text, fatal } = event
  if (code === 'message_interrupted' && lastMessage(transcript)?.delivery === 'failed')
    return transcript
  return addNotice(transcript, event, { level: 'error', text, code, fatal })
}

const lastMessage = (transcript: Transcript): Message | undefined => {
  const { entries } = threadAt(transcript, 0)
  const entry = itemAt(
    entries,
    findLastIndex(entries, ({ kind }) => kind === 'message'),
  )
  return entry?.kind === 'message' ? entry.message : undefined
}
