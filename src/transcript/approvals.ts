import type { WaitingApproval } from '../events/types.ts'
import { defined } from '../shared/fields.ts'
import type { ToolEntry } from './entry.ts'
import { entryAt } from './threads.ts'
import { changeTool, withArgs } from './tools.ts'
import type { EntryPosition, Incoming, Transcript } from './transcript.ts'

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
  const { approvalId, action, outcome, by, message, updatedInput, answers, optionId } = event
  const request = transcript.approvals.find((each) => each.approvalId === approvalId)
  const after = request ? { ...transcript, approvals: without(transcript, approvalId) } : transcript
  if (request?.kind === 'budget') return addPause(after, request.createdAt, event)
  const optionLabel = request?.options?.find(({ id }) => id === optionId)?.label
  const toolCallId = event.toolCallId ?? request?.toolCallId
  const position = toolCallId === undefined ? undefined : transcript.running.get(toolCallId)
  const decided = changeTool(after, position, (tool) => ({
    ...(updatedInput !== undefined && action === 'allow' ? withArgs(tool, updatedInput) : tool),
    ...waited(tool, request?.createdAt, event),
    decision: { action, outcome, ...defined({ by, message, optionLabel, answers }) },
  }))
  return position ? addWaits(decided, position, request?.createdAt, event) : decided
}

/**
 * Whether a call has not begun because a call before it waits for a person: agents ask for one call
 * after another, and run those behind it later.
 */
export const waitsForAnother = (transcript: Transcript, toolCallId: string): boolean => {
  const { approvals, running } = transcript
  const position = running.get(toolCallId)
  if (!position || approvals.length === 0 || hasBegun(transcript, position)) return false
  return approvals.some((each) => isBehind(position, running.get(each.toolCallId ?? '')))
}

/** Adds the time that the agent was paused to all its calls that run. */
const addPause = (
  transcript: Transcript,
  since: number | undefined,
  event: Incoming<'approval_resolved'>,
): Transcript =>
  [...transcript.running.values()].reduce(
    (after, position) =>
      changeTool(after, position, (tool) => ({ ...tool, ...waited(tool, since, event) })),
    transcript,
  )

/** Adds the time that the calls behind a decided one waited for it, too. */
const addWaits = (
  transcript: Transcript,
  decided: EntryPosition,
  since: number | undefined,
  event: Incoming<'approval_resolved'>,
): Transcript =>
  [...transcript.running].reduce((after, [toolCallId, position]) => {
    const asksItself = after.approvals.some((each) => each.toolCallId === toolCallId)
    if (asksItself || !isBehind(position, decided) || hasBegun(after, position)) return after
    // While another approval waits, the time since that one counts when it is decided.
    const others = after.approvals
      .filter((each) => isBehind(position, after.running.get(each.toolCallId ?? '')))
      .flatMap(({ createdAt }) => (createdAt === undefined ? [] : [createdAt]))
    const timestamp = event.timestamp && Math.min(event.timestamp, ...others)
    return changeTool(after, position, (tool) => ({
      ...tool,
      ...waited(tool, since, { ...event, ...(timestamp !== undefined && { timestamp }) }),
    }))
  }, transcript)

const isBehind = (position: EntryPosition, other: EntryPosition | undefined): boolean =>
  other !== undefined && position.thread === other.thread && position.index > other.index

/** A call with output runs, whatever other calls wait for. */
const hasBegun = (transcript: Transcript, position: EntryPosition): boolean => {
  const entry = entryAt(transcript, position)
  return entry?.kind !== 'tool' || entry.output !== ''
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
