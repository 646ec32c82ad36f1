import type {
  Conversation,
  PartialMessage,
  Snapshot,
  SnapshotMessage,
  SnapshotNotice,
  SnapshotResult,
  SnapshotThread,
  SnapshotTool,
  ToolResultMessage,
} from '../events/types.ts'
import { type Args, argsOf, type CallArguments, recordCalls } from './calls.ts'
import type { MessageEntry, ToolEntry } from './entry.ts'
import { listItems } from './list.ts'
import { threadAt } from './threads.ts'
import type { Thread, Transcript } from './transcript.ts'

/** The transcript as the `snapshot` event that starts a new connection. */
export const toSnapshot = (
  transcript: Transcript,
  { projectId, cursor }: { projectId: string; cursor?: string },
): Snapshot => {
  const { agent, model, name, cwd, thinkingLevel, permissionMode, status } = transcript
  const { outcome, retry, compaction, totals, commands, todos } = transcript
  const threads = listItems(transcript.threads).flatMap(threadOf)
  return {
    type: 'snapshot',
    sessionId: transcript.sessionId ?? '',
    projectId,
    ...conversationOf(threadAt(transcript, 0)),
    isStreaming: transcript.isStreaming,
    seq: transcript.seq,
    ...(cursor !== undefined && { cursor }),
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(name !== undefined && { name }),
    ...(cwd !== undefined && { cwd }),
    ...(thinkingLevel !== undefined && { thinkingLevel }),
    ...(permissionMode !== undefined && { permissionMode }),
    ...choicesOf(transcript),
    ...(commands && { commands: [...commands] }),
    ...(todos && { todos: [...todos] }),
    ...(status !== undefined && { status }),
    ...(outcome && { outcome }),
    ...(transcript.omitted > 0 && { omitted: transcript.omitted }),
    ...(threads.length > 0 && { threads }),
    queued: transcript.queued,
    ...(retry && { retry }),
    ...(compaction && { compaction }),
    approvals: [...transcript.approvals],
    ...(totals && { usage: totals, byModel: transcript.byModel }),
    context: transcript.context,
    turnState: transcript.turnState,
    ...(transcript.budgets.length > 0 && { budgets: [...transcript.budgets] }),
    tasks: [...transcript.tasks],
    backgroundTasks: [...transcript.backgroundTasks],
  }
}

const choicesOf = ({ modes, thinkingLevels, autoCompaction, autoRetry }: Transcript) => ({
  ...(modes && { modes: [...modes] }),
  ...(thinkingLevels && { thinkingLevels: [...thinkingLevels] }),
  ...(autoCompaction !== undefined && { autoCompaction }),
  ...(autoRetry !== undefined && { autoRetry }),
})

const threadOf = (thread: Thread): SnapshotThread[] => {
  const { toolCallId, subagent } = thread
  if (toolCallId === null) return []
  return [{ toolCallId, ...(subagent && { subagent }), ...conversationOf(thread) }]
}

const conversationOf = (thread: Thread): Conversation => {
  const messages: Conversation['messages'] = []
  const tools: SnapshotTool[] = []
  const notices: SnapshotNotice[] = []
  let partial: PartialMessage | undefined
  const calls: CallArguments = new Map()
  for (const [place, entry] of listItems(thread.entries).entries()) {
    if (entry.kind === 'tool') {
      const { kind, result, ...tool } = entry
      if (result) messages.push(resultOf(entry, result, calls))
      else tools.push({ ...tool, place })
    } else if (entry.kind === 'message') {
      recordCalls(calls, entry.message)
      if (entry.isStreaming) partial = { ...messageOf(entry), place }
      else messages.push(messageOf(entry))
    } else {
      const { kind, ...notice } = entry
      notices.push({ ...notice, place })
    }
  }
  return { messages, tools, notices, ...(partial && { partial }) }
}

const messageOf = ({ kind, message, isStreaming, ...more }: MessageEntry): SnapshotMessage => ({
  ...message,
  ...more,
})

const resultOf = (
  tool: ToolEntry,
  result: ToolResultMessage,
  calls: CallArguments,
): SnapshotResult => {
  const { args, argsBlob, exitCode, durationMs, startedAt, endedAt, waitedMs } = tool
  const { decision, outOfContext } = tool
  const used = argsOf(args, argsBlob)
  return {
    ...result,
    ...(!isSame(used, calls.get(tool.toolCallId)) && used),
    ...(exitCode !== undefined && { exitCode }),
    ...(durationMs !== undefined && { durationMs }),
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
    ...(waitedMs !== undefined && { waitedMs }),
    ...(decision && { decision }),
    ...(tool.status === 'interrupted' && { interrupted: true }),
    ...(outOfContext && { outOfContext }),
  }
}

/** Arguments can be long, so a result repeats them only where they differ from the call’s. */
const isSame = (left: Args, right: Args | undefined): boolean =>
  left.argsBlob?.hash === right?.argsBlob?.hash &&
  (left.args === right?.args || JSON.stringify(left.args) === JSON.stringify(right?.args))
