import { hasShellEnded } from '../../events/has-shell-ended.ts'
import type { AgentEvent, EventOf } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import type { ConversationState } from './conversation-state.ts'
import { withFullOutput } from './full-output.ts'
import { interruptedMessages, interruptedRun } from './interrupted-messages.ts'
import { agentStarted, closeRun, emitAll, sendAbort } from './run.ts'

/** Applies one decoded event of the agent to the session, and records it. */
export const acceptEvent = (state: ConversationState, event: AgentEvent): void => {
  const { emit, queue, approvals, deps } = state
  if (event.type !== 'error') {
    state.resumption.outputSeen()
    state.silence = 'none'
  }
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
      emit(state.editDiffs.withDiff(withFullOutput(event, deps)))
      break
    case 'agent_start':
      agentStarted(state, event)
      break
    case 'agent_end':
      closeRun(state, event)
      break
    case 'turn_end':
      deps.onRecord({ isActive: true })
      emit(event)
      break
    case 'message_start':
      startMessage(state, event)
      break
    case 'message_end':
      if (event.message.role === 'user') endUserMessage(state, event)
      else emit(event)
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
  const { model, permissionMode, name } = event
  const nativeId = ownNativeId(state, event.nativeId)
  state.model = model ?? state.model
  noteChoices(state, event)
  if (event.type === 'session_update') {
    state.backgroundTasks = event.backgroundTasks ?? state.backgroundTasks
    const { shell } = event
    if (shell && hasShellEnded(shell)) state.openShells.delete(shell.id)
  }
  const canFork = event.type === 'session_update' ? event.capabilities?.fork : undefined
  const change = defined({ nativeId, canFork, model, permissionMode, name })
  if (Object.keys(change).length > 0) state.deps.onRecord(change)
  const { authors } = state
  if (event.type === 'session_update')
    state.emit(authors.withChangeAuthor(authors.withModelAuthor(asOwnUsage(state, event))))
  else state.emit(state.hasStarted() ? asUpdate(event) : event)
}

/** What the conversation had used before this session does not count for the session. */
const asOwnUsage = (
  { resumption }: ConversationState,
  event: EventOf<'session_update'>,
): EventOf<'session_update'> =>
  event.reported && resumption.hasEarlierUsage()
    ? { ...event, reported: { ...event.reported, isResumed: true } }
    : event

/** The id, if the session may resume the conversation that it names. */
const ownNativeId = ({ resumption }: ConversationState, id: string | undefined) =>
  id !== undefined && resumption.setNativeId(id) ? id : undefined

/** Notes what can be chosen. A mode that the agent changes to is the one that later processes start in. */
const noteChoices = (
  state: ConversationState,
  { modes, thinkingLevels, permissionMode: mode }: EventOf<'session_start' | 'session_update'>,
): void => {
  state.modes = modes ?? state.modes
  state.thinkingLevels = thinkingLevels ?? state.thinkingLevels
  // Only where a person chose a mode before: otherwise the agent’s own settings decide again.
  if (mode === undefined || state.start.mode === undefined || state.start.mode === mode) return
  state.start = { ...state.start, mode }
  state.deps.onRecord({ start: state.start })
}

/** The session has started already: what a later process reports about it is an update. */
const asUpdate = (event: EventOf<'session_start'>): EventOf<'session_update'> => {
  const { type: _, agent: __, ...description } = event
  return { type: 'session_update', ...description }
}

const startMessage = (state: ConversationState, event: EventOf<'message_start'>): void => {
  const isMain = event.parentToolCallId === undefined
  // Only its end shows whether it is an echo of a message that the events have already.
  if (event.messageRole === 'user' && isMain) state.userMessage = event
  else state.emit(event)
}

const endUserMessage = (state: ConversationState, event: EventOf<'message_end'>): void => {
  const { userMessage, deliveries, receipts } = state
  const echoed = deliveries.echoed(event)
  if (echoed) emitAll(state, echoed)
  else {
    if (userMessage?.messageId === event.messageId) state.emit(userMessage)
    state.emit(receipts.withCommand(event))
  }
  if (userMessage?.messageId === event.messageId) state.userMessage = undefined
  // Old agents ignore that the message was dropped, and start a run with it.
  if (state.queue.accepted(event.messageId)) sendAbort(state)
}

/**
 * Shows the messages that were sent and that the agent can no longer confirm, with an error: in the
 * open run, or as a run of their own. Returns how many there are.
 */
export const showUnconfirmed = (state: ConversationState, isInRun: boolean): number => {
  const hidden = state.receipts.takeUnconfirmed()
  const show = isInRun ? interruptedMessages : interruptedRun
  emitAll(state, show({ hidden, sent: [] }, 'agent'))
  return hidden.length
}
