import { type Args, argsOf, type Calls, noteCalls } from './calls.ts'
import type { MessageEntry, ToolEntry } from './entry.ts'
import { items } from './list.ts'
import type {
  Conversation,
  Snapshot,
  SnapshotMessage,
  SnapshotResult,
  SnapshotThread,
} from './snapshot.ts'
import { threadAt } from './threads.ts'
import type { Thread, Transcript } from './transcript.ts'

/** The transcript as the event that a new connection begins with. */
export const toSnapshot = (
  transcript: Transcript,
  { projectId }: { projectId: string },
): Snapshot => {
  const { agent, model, name, cwd, thinkingLevel, status } = transcript
  const { outcome, retry, compaction, totals } = transcript
  const threads = items(transcript.threads).flatMap(threadOf)
  return {
    type: 'snapshot',
    sessionId: transcript.sessionId ?? '',
    projectId,
    ...conversationOf(threadAt(transcript, 0)),
    isStreaming: transcript.isStreaming,
    seq: transcript.seq,
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(name !== undefined && { name }),
    ...(cwd !== undefined && { cwd }),
    ...(thinkingLevel !== undefined && { thinkingLevel }),
    ...(status !== undefined && { status }),
    ...(outcome && { outcome }),
    ...(threads.length > 0 && { threads }),
    queued: transcript.queued,
    ...(retry && { retry }),
    ...(compaction && { compaction }),
    approvals: [...transcript.approvals],
    ...(totals && { usage: totals, byModel: transcript.byModel }),
    context: transcript.context,
    turnState: transcript.turnState,
    tasks: [...transcript.tasks],
    backgroundTasks: [...transcript.backgroundTasks],
  }
}

const threadOf = (thread: Thread): SnapshotThread[] => {
  const { toolCallId, subagent } = thread
  if (toolCallId === null) return []
  return [{ toolCallId, ...(subagent && { subagent }), ...conversationOf(thread) }]
}

const conversationOf = (thread: Thread): Conversation => {
  const told: Required<Omit<Conversation, 'partial'>> = { messages: [], tools: [], notices: [] }
  let partial: Conversation['partial']
  const calls: Calls = new Map()
  items(thread.entries).forEach((entry, place) => {
    if (entry.kind === 'tool') {
      const { kind, result, ...tool } = entry
      if (result) told.messages.push(resultOf(entry, result, calls))
      else told.tools.push({ ...tool, place })
    } else if (entry.kind === 'message') {
      noteCalls(calls, entry.message)
      if (entry.isStreaming) partial = { ...messageOf(entry), place }
      else told.messages.push(messageOf(entry))
    } else {
      const { kind, ...notice } = entry
      told.notices.push({ ...notice, place })
    }
  })
  return partial ? { ...told, partial } : told
}

const messageOf = ({ kind, message, isStreaming, ...more }: MessageEntry): SnapshotMessage => ({
  ...message,
  ...more,
})

const resultOf = (
  tool: ToolEntry,
  result: NonNullable<ToolEntry['result']>,
  calls: Calls,
): SnapshotResult => {
  const { args, argsBlob, exitCode, durationMs, startedAt, endedAt, decision } = tool
  const given = argsOf(args, argsBlob)
  return {
    ...result,
    ...(!isSame(given, calls.get(tool.toolCallId)) && given),
    ...(exitCode !== undefined && { exitCode }),
    ...(durationMs !== undefined && { durationMs }),
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
    ...(decision && { decision }),
  }
}

/** Arguments can be long; those that the call itself has need not be told twice. */
const isSame = (left: Args, right: Args | undefined): boolean =>
  left.argsBlob?.hash === right?.argsBlob?.hash &&
  (left.args === right?.args || JSON.stringify(left.args) === JSON.stringify(right?.args))
