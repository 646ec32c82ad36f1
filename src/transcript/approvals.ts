import type { WaitingApproval } from '../events/types.ts'
import { defined } from '../shared/fields.ts'
import type { ToolEntry } from './entry.ts'
import { changeTool, withArgs } from './tools.ts'
import type { Incoming, Transcript } from './transcript.ts'

/** An approval waits for a decision. */
export const requestApproval = (
  transcript: Transcript,
  event: Incoming<'approval_request'>,
): Transcript => {
  const { type, sessionId, seq, timestamp, ...request } = event
  // Events of earlier versions have no kind.
  const approval = {
    ...request,
    kind: request.kind ?? 'tool',
    ...(timestamp !== undefined && { createdAt: timestamp }),
  }
  return { ...transcript, approvals: [...without(transcript, event.approvalId), approval] }
}

/** An approval is decided. Its tool, if there is one, records the decision. */
export const resolveApproval = (
  transcript: Transcript,
  event: Incoming<'approval_resolved'>,
): Transcript => {
  const { approvalId, action, outcome, by, message, updatedInput, answers } = event
  const request = transcript.approvals.find((each) => each.approvalId === approvalId)
  const after = request ? { ...transcript, approvals: without(transcript, approvalId) } : transcript
  const toolCallId = event.toolCallId ?? request?.toolCallId
  const position = toolCallId === undefined ? undefined : transcript.running.get(toolCallId)
  return changeTool(after, position, (tool) => ({
    ...(updatedInput !== undefined && action === 'allow' ? withArgs(tool, updatedInput) : tool),
    ...waited(tool, request?.createdAt, event),
    decision: { action, outcome, ...defined({ by, message, answers }) },
  }))
}

/** A rule decides at once, so only the wait for a person counts. */
const waited = (
  { waitedMs = 0 }: ToolEntry,
  since: number | undefined,
  { timestamp, outcome }: Incoming<'approval_resolved'>,
): Pick<ToolEntry, 'waitedMs'> => {
  if (since === undefined || timestamp === undefined || outcome === 'policy') return {}
  return { waitedMs: waitedMs + Math.max(0, timestamp - since) }
}

const without = (transcript: Transcript, approvalId: string): readonly WaitingApproval[] =>
  transcript.approvals.filter((each) => each.approvalId !== approvalId)
