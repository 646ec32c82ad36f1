import { nextTurnState } from '../turns/turns.ts'
import { requestApproval, resolveApproval } from './approvals.ts'
import { setBudget } from './budgets.ts'
import { endCompaction, startCompaction } from './compaction.ts'
import {
  endMessage,
  setDelivery,
  startMessage,
  updateMessage,
  withdrawMessage,
} from './messages.ts'
import { addError } from './notices.ts'
import { endRun, startRetry, startRun } from './run.ts'
import { setUsage, updateDetails } from './session.ts'
import { endSubagent, startSubagent } from './subagents.ts'
import { addResult, appendOutput, callTool, endTool, startTool } from './tools.ts'
import type { Incoming, Transcript } from './transcript.ts'

/**
 * The transcript after one event. Parts that the event does not change are the same objects as
 * before. An event that was already applied, by its `seq`, changes nothing, so replays may overlap.
 */
export const applyEvent = (transcript: Transcript, event: Incoming): Transcript => {
  if (event.seq !== undefined && event.seq <= transcript.seq) return transcript
  return withStamp(fold(transcript, event), event)
}

/** The transcript after many events. */
export const applyEvents = (transcript: Transcript, events: Iterable<Incoming>): Transcript => {
  let after = transcript
  for (const event of events) after = applyEvent(after, event)
  return after
}

const fold = (transcript: Transcript, event: Incoming): Transcript => {
  switch (event.type) {
    case 'session_start':
    case 'session_update':
      return updateDetails(transcript, event)
    case 'usage_update':
      return setUsage(transcript, event)
    case 'budget_update':
      return setBudget(transcript, event)
    case 'error':
      return addError(transcript, event)
    case 'agent_start':
      return startRun(transcript)
    case 'agent_end':
      return endRun(transcript, event)
    case 'turn_state':
      return { ...transcript, turnState: event.newState }
    case 'message_start':
      return startMessage(transcript, event)
    case 'message_update':
      return updateMessage(transcript, event)
    case 'message_end':
      return endMessage(transcript, event)
    case 'message_delivery':
      return setDelivery(transcript, event)
    case 'message_withdrawn':
      return withdrawMessage(transcript, event)
    case 'subagent_start':
      return startSubagent(transcript, event)
    case 'subagent_end':
      return endSubagent(transcript, event)
    case 'tool_call':
      return callTool(transcript, event)
    case 'tool_execution_start':
      return startTool(transcript, event)
    case 'tool_execution_update':
      return appendOutput(transcript, event)
    case 'tool_execution_end':
      return endTool(transcript, event)
    case 'tool_result':
      return addResult(transcript, event)
    case 'approval_request':
      return requestApproval(transcript, event)
    case 'approval_resolved':
      return resolveApproval(transcript, event)
    case 'queue_update':
      return { ...transcript, queued: event.queued }
    case 'compaction_start':
      return startCompaction(transcript, event)
    case 'compaction_end':
      return endCompaction(transcript, event)
    case 'auto_retry_start':
      return startRetry(transcript, event)
    case 'auto_retry_end':
      return { ...transcript, retry: null }
    default:
      return transcript
  }
}

/** Sets the `seq` of the event, and the turn state that follows from it. */
const withStamp = (transcript: Transcript, event: Incoming): Transcript => {
  const { sessionId, seq } = event
  const turnState = nextTurnState(transcript.turnState, event)
  if (seq === undefined && turnState === transcript.turnState) return transcript
  return {
    ...transcript,
    turnState,
    ...(sessionId !== undefined && { sessionId }),
    ...(seq !== undefined && { seq }),
  }
}
