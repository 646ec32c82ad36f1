import { changeTool, withArgs } from './tools.ts'
import type { Incoming, Transcript, WaitingApproval } from './transcript.ts'

/** A person must decide. */
export const askApproval = (
  transcript: Transcript,
  event: Incoming<'approval_request'>,
): Transcript => {
  const { type, sessionId, seq, timestamp, ...approval } = event
  return { ...transcript, approvals: [...without(transcript, event.approvalId), approval] }
}

/** It is decided: nobody waits, and the tool keeps who let it run. */
export const resolveApproval = (
  transcript: Transcript,
  event: Incoming<'approval_resolved'>,
): Transcript => {
  const { approvalId, action, outcome, by, message, updatedInput } = event
  const asked = transcript.approvals.find((each) => each.approvalId === approvalId)
  const after = asked ? { ...transcript, approvals: without(transcript, approvalId) } : transcript
  const toolCallId = event.toolCallId ?? asked?.toolCallId
  const place = toolCallId === undefined ? undefined : transcript.running.get(toolCallId)
  return changeTool(after, place, (tool) => ({
    ...(updatedInput !== undefined && action === 'allow' ? withArgs(tool, updatedInput) : tool),
    decision: {
      action,
      outcome,
      ...(by !== undefined && { by }),
      ...(message !== undefined && { message }),
    },
  }))
}

const without = (transcript: Transcript, approvalId: string): readonly WaitingApproval[] =>
  transcript.approvals.filter((each) => each.approvalId !== approvalId)
