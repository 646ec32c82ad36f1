import type { ToolEntry } from '../transcript/entry.ts'
import { itemAt } from '../transcript/list.ts'
import { runningTools, streamingMessage, threadOf } from '../transcript/read.ts'
import type { Transcript } from '../transcript/transcript.ts'
import type { Activity, LiveSummary } from './types.ts'

/** The summary of a session that lists show, from its transcript. */
export const summaryOf = (transcript: Transcript): LiveSummary => {
  const { seq, turnState, totals, context, approvals, queued, budgets } = transcript
  return {
    seq,
    activity: activityOf(transcript),
    turnState,
    ...(totals && { usage: totals }),
    context,
    pendingApprovals: approvals.length,
    queuedMessages: queued.steering.length + queued.followUp.length,
    ...(budgets.length > 0 && { budgets: [...budgets] }),
  }
}

/** What a session is doing. A pending approval comes first, then what blocks the run. */
export const activityOf = (transcript: Transcript): Activity => {
  const { approvals, retry, compaction, outcome } = transcript
  const request = approvals[0]
  if (request)
    return { kind: 'approval', approvalKind: request.kind, ...toolName(request.toolName) }
  if (retry) return { kind: 'retrying', detail: retry.reason, ...since(retry.startedAt) }
  if (compaction) return { kind: 'compacting', ...since(compaction.startedAt) }
  const tool = runningTools(transcript)[0]
  if (tool) return { kind: 'tool', toolName: tool.toolName, ...since(workSince(tool)) }
  if (transcript.isStreaming) return { kind: modelActivity(transcript) }
  if (outcome && hasFailed(outcome)) return { kind: 'failed', ...detail(outcome.errorMessage) }
  return { kind: 'idle' }
}

/** When the work of a tool began. The time that it waited for a person is no work. */
const workSince = ({ startedAt, waitedMs = 0 }: ToolEntry): number | undefined =>
  startedAt === undefined ? undefined : startedAt + waitedMs

/** What the model does while no tool runs. */
const modelActivity = (transcript: Transcript): 'starting' | 'thinking' | 'writing' => {
  const open = streamingMessage(transcript)
  if (open?.message.role === 'assistant') {
    const block = open.message.content.at(-1)
    return block && block.type !== 'thinking' ? 'writing' : 'thinking'
  }
  const entries = threadOf(transcript)?.entries
  const last = entries && itemAt(entries, entries.length - 1)
  return last?.kind === 'message' && last.message.delivery === 'sent' ? 'starting' : 'thinking'
}

const hasFailed = ({ stopReason, interrupted }: NonNullable<Transcript['outcome']>): boolean =>
  stopReason === 'error' || interrupted === true

const toolName = (name: string | undefined) => name !== undefined && { toolName: name }
const since = (startedAt: number | undefined) => startedAt !== undefined && { since: startedAt }
const detail = (text: string | undefined) => text !== undefined && { detail: text }
