import type { Conversation, Snapshot, SnapshotMessage, SnapshotResult } from '../events/types.ts'
import { defined } from '../shared/fields.ts'
import { argsOf, type CallArguments, recordCalls } from './calls.ts'
import type { Entry, MessageEntry, ToolEntry } from './entry.ts'
import { openThread, putThread, replaceEntries, threadAt } from './threads.ts'
import { emptyTranscript, type Transcript } from './transcript.ts'

/** Restores the transcript that a snapshot was made of. Later events can be applied to it. */
export const fromSnapshot = (snapshot: Snapshot): Transcript => {
  let transcript = replaceEntries(stateOf(snapshot), 0, entriesOf(snapshot))
  for (const thread of snapshot.threads ?? []) {
    const { transcript: opened, number } = openThread(transcript, thread.toolCallId)
    const subagent = thread.subagent ?? null
    const put = putThread(opened, number, { ...threadAt(opened, number), subagent })
    transcript = replaceEntries(put, number, entriesOf(thread))
  }
  return transcript
}

/** Everything but the conversation. A field that is absent is as in an empty transcript. */
const stateOf = (snapshot: Snapshot): Transcript => {
  const { type, projectId, cursor, messages, partial, tools, notices, ...more } = snapshot
  const { threads, usage: totals, ...state } = more
  return { ...emptyTranscript(), ...defined({ ...state, totals }) }
}

/** An entry that a snapshot lists apart from the messages, with its index in the thread. */
interface PlacedEntry {
  place: number
  entry: Entry
}

/** Messages in their order, with the placed entries inserted at their indexes. */
const entriesOf = (conversation: Conversation): Entry[] => {
  const placed = placedEntries(conversation)
  const calls: CallArguments = new Map()
  const entries: Entry[] = []
  let next = 0
  const put = (entry: Entry) => {
    entries.push(entry)
    if (entry.kind === 'message') recordCalls(calls, entry.message)
  }
  for (const message of conversation.messages) {
    for (let each = placed[next]; each && each.place <= entries.length; each = placed[next]) {
      put(each.entry)
      next += 1
    }
    put(message.role === 'toolResult' ? resultEntry(message, calls) : messageEntry(message, false))
  }
  return [...entries, ...placed.slice(next).map(({ entry }) => entry)]
}

const placedEntries = ({ partial, tools = [], notices = [] }: Conversation): PlacedEntry[] => {
  const placed: PlacedEntry[] = []
  if (partial) {
    const { place, ...message } = partial
    placed.push({ place, entry: messageEntry(message, true) })
  }
  for (const { place, ...tool } of tools) placed.push({ place, entry: { kind: 'tool', ...tool } })
  for (const { place, ...notice } of notices)
    placed.push({ place, entry: { kind: 'notice', ...notice } })
  return placed.sort((left, right) => left.place - right.place)
}

const messageEntry = (snapshotMessage: SnapshotMessage, isStreaming: boolean): MessageEntry => {
  const { messageId, startedAt, tokensBefore, tokensAfter, reason, outOfContext, ...message } =
    snapshotMessage
  return {
    kind: 'message',
    messageId,
    message,
    isStreaming,
    ...defined({ startedAt, tokensBefore, tokensAfter, reason, outOfContext }),
  }
}

const resultEntry = (snapshotResult: SnapshotResult, calls: CallArguments): ToolEntry => {
  const { exitCode, durationMs, startedAt, endedAt, decision, args, argsBlob, ...more } =
    snapshotResult
  const { outOfContext, interrupted, waitedMs, ...result } = more
  const { toolCallId, toolName, isError } = result
  return {
    kind: 'tool',
    toolCallId,
    toolName,
    status: interrupted ? 'interrupted' : endedStatus(isError),
    ...(args === undefined ? calls.get(toolCallId) : argsOf(args, argsBlob)),
    output: '',
    dropped: 0,
    result,
    isError,
    ...defined({ exitCode, durationMs, startedAt, endedAt, waitedMs, decision, outOfContext }),
  }
}

const endedStatus = (isError: boolean) => (isError ? 'failed' : 'done')
