import { randomUUID } from 'node:crypto'
import type { AgentEvent, EventOf } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import type { ConversationState } from './conversation-state.ts'
import { interruptedMessages, interruptedRun } from './interrupted-messages.ts'
import { stillQueuedNotice } from './notices.ts'

/** Applies one decoded event of the agent to the session, and records it. */
export const acceptEvent = (state: ConversationState, event: AgentEvent): void => {
  const { emit, queue, approvals, activity, deps } = state
  if (event.type !== 'error') state.resumption.outputSeen()
  switch (event.type) {
    case 'session_start':
    case 'session_update':
      updateSession(state, event)
      break
    case 'approval_request':
      approvals.request(event)
      deps.onRecord({ isActive: true })
      break
    case 'approval_resolved':
      approvals.resolvedByAgent(event)
      break
    case 'tool_execution_end':
      approvals.toolEnded(event.toolCallId)
      emit(event)
      break
    case 'tool_result':
      emit(state.editDiffs.withDiff(event))
      break
    case 'agent_start':
      activity.runStarted()
      deps.onRecord({ state: 'running', isActive: true })
      emit(state.authors.withRunAuthor(event))
      break
    case 'agent_end':
      endRun(state, event)
      break
    case 'turn_end':
      deps.onRecord({ isActive: true })
      emit(event)
      break
    case 'message_end':
      endMessage(state, event)
      break
    case 'queue_update':
      queue.heldByAgent(event.queued)
      break
    default:
      emit(event)
  }
}

/** Stores what an event reports about the session: the agent’s own id, the model, the name. */
export const updateSession = (
  state: ConversationState,
  event: EventOf<'session_start' | 'session_update'>,
): void => {
  const { nativeId, model, permissionMode, name } = event
  if (nativeId !== undefined) state.resumption.setNativeId(nativeId)
  state.model = model ?? state.model
  const change = defined({ nativeId, model, permissionMode, name })
  if (Object.keys(change).length > 0) state.deps.onRecord(change)
  const { authors } = state
  if (event.type === 'session_update') state.emit(authors.withModelAuthor(event))
  else state.emit(state.hasStarted() ? asUpdate(event) : event)
}

/** The session has started already: what a later process reports about it is an update. */
const asUpdate = (event: EventOf<'session_start'>): EventOf<'session_update'> => {
  const { type: _, agent: __, ...description } = event
  return { type: 'session_update', ...description }
}

const endRun = (state: ConversationState, event: EventOf<'agent_end'>): void => {
  const { queue, receipts, deps } = state
  // The agent is gone: what it has not confirmed belongs to the run that ends with it.
  if (event.interrupted)
    for (const each of interruptedMessages(receipts.takeUnconfirmed(), 'agent')) state.emit(each)
  state.emit(event)
  if (!event.interrupted)
    receipts.runEnded(queue.totalSize() > queue.size() || queue.sent().length > 0)
  // Recovery reads from the last checkpoint on, and must find the last queue_update.
  if (queue.totalSize() === 0) deps.onCheckpoint?.()
  state.activity.runEnded()
  state.editDiffs.clear()
  deps.onRecord({ state: 'idle', ...(!event.interrupted && { isActive: true }) })
  if (event.stopReason === 'aborted') requeueMessages(state)
  else if (!event.interrupted) state.onRunEnd()
}

const requeueMessages = ({ queue, receipts, isStopping, emit }: ConversationState): void => {
  receipts.requeued(queue.sent())
  queue.requeueSent()
  if (queue.totalSize() > 0 && !isStopping) emit(stillQueuedNotice(queue.totalSize()))
}

const endMessage = (state: ConversationState, event: EventOf<'message_end'>): void => {
  const isFromUser = event.message.role === 'user'
  state.emit(isFromUser ? state.receipts.withCommand(event) : event)
  if (!isFromUser) return
  // Old agents ignore that the message was dropped, and start a run with it.
  if (state.queue.accepted(event.messageId)) sendAbort(state)
}

/**
 * Shows the messages that were sent and that the agent can no longer confirm, with an error. Returns
 * how many there are. Call it only between runs.
 */
export const showUnconfirmed = ({ receipts, emit }: ConversationState): number => {
  const messages = receipts.takeUnconfirmed()
  for (const event of interruptedRun(messages, 'agent')) emit(event)
  return messages.length
}

/** Sends an abort. The agent also drops the messages that it was sent and has not accepted. */
export const sendAbort = ({ driver, queue }: ConversationState): void =>
  void driver?.send({ type: 'abort', id: randomUUID(), sent: queue.sent() })
