import { runningTools } from '../transcript/read.ts'
import type { Transcript } from '../transcript/transcript.ts'
import type { Activity, LiveSummary } from './types.ts'

/** What lists say of a session, from what a reader of it sees. */
export const summaryOf = (transcript: Transcript): LiveSummary => {
  const { seq, turnState, totals, context, approvals, queued } = transcript
  return {
    seq,
    activity: activityOf(transcript),
    turnState,
    ...(totals && { usage: totals }),
    context,
    pendingApprovals: approvals.length,
    queuedMessages: queued.steering.length + queued.followUp.length,
  }
}

/** What a session is doing: what needs a person comes first, then what keeps it from going on. */
export const activityOf = (transcript: Transcript): Activity => {
  const { approvals, retry, compaction, outcome } = transcript
  const asked = approvals[0]
  if (asked) return { kind: 'approval', ...named(asked.toolName) }
  if (retry) return { kind: 'retrying', detail: retry.reason, ...since(retry.startedAt) }
  if (compaction) return { kind: 'compacting', ...since(compaction.startedAt) }
  const tool = runningTools(transcript)[0]
  if (tool) return { kind: 'tool', toolName: tool.toolName, ...since(tool.startedAt) }
  if (transcript.isStreaming) return { kind: 'thinking' }
  if (outcome && hasFailed(outcome)) return { kind: 'failed', ...detail(outcome.errorMessage) }
  return { kind: 'idle' }
}

const hasFailed = ({ stopReason, interrupted }: NonNullable<Transcript['outcome']>): boolean =>
  stopReason === 'error' || interrupted === true

const named = (toolName: string | undefined) => toolName !== undefined && { toolName }
const since = (startedAt: number | undefined) => startedAt !== undefined && { since: startedAt }
const detail = (text: string | undefined) => text !== undefined && { detail: text }
