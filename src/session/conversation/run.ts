import { randomUUID } from 'node:crypto'
import type { AgentEvent, DeliveryFailure, EventOf } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import type { ConversationState } from './conversation-state.ts'
import { interruptedDelivery, interruptedMessages } from './interrupted-messages.ts'
import { stillQueuedNotice } from './notices.ts'

/**
 * Opens the run of a prompt that is about to be written to the agent, which may still be starting.
 * So readers see the prompt at once, whatever becomes of the agent.
 */
export const openRun = (state: ConversationState, promptId: string): void => {
  const { receipts, deliveries, queue } = state
  const message = receipts.messageOf(promptId)
  if (!state.activity.isRunning())
    beginRun(state, { type: 'agent_start', ...defined({ by: message?.by }) })
  if (!message) return
  // A steering message whose run has ended is sent as a prompt.
  queue.remove(promptId)
  emitAll(state, deliveries.show(message))
  receipts.shown(promptId)
}

/** The agent starts to work. It works on the prompt of the open run, or opens a run by itself. */
export const agentStarted = (state: ConversationState, event: EventOf<'agent_start'>): void => {
  const isOpen = state.activity.isRunning()
  state.activity.runStarted()
  // Not every agent echoes its prompt before it works on it, and some never do.
  if (isOpen) emitAll(state, state.deliveries.taken())
  else beginRun(state, event)
}

const beginRun = (state: ConversationState, event: EventOf<'agent_start'>): void => {
  state.activity.runOpened()
  state.deps.onRecord({ state: 'running', isActive: true })
  state.emit(event)
}

/** Ends the run. `failure`: why the agent did not take the messages that are on their way. */
export const closeRun = (
  state: ConversationState,
  reported: EventOf<'agent_end'>,
  failure: DeliveryFailure | undefined = reported.interrupted && interruptedDelivery('agent'),
): void => {
  const { queue, receipts, deliveries, deps } = state
  const event = state.isAborting ? asAborted(reported) : reported
  const isAborted = event.stopReason === 'aborted'
  emitAll(state, failure ? deliveries.failed(failure) : deliveries.taken())
  deliveries.runEnded()
  // The agent is gone: what it has not confirmed belongs to the run that ends with it.
  if (event.interrupted)
    emitAll(state, interruptedMessages({ hidden: receipts.takeUnconfirmed(), sent: [] }, 'agent'))
  else receipts.runEnded(queue.totalSize() > queue.size() || queue.sent().length > 0)
  // The end of a run is its last event.
  if (isAborted && !event.interrupted) requeueMessages(state)
  state.emit(event)
  // Recovery reads from the last checkpoint on. It must find the last queue_update, and what works.
  const isWorking = state.backgroundTasks.length > 0 || state.openShells.size > 0
  if (queue.totalSize() === 0 && !isWorking) deps.onCheckpoint?.()
  state.isAborting = false
  state.activity.runEnded()
  state.editDiffs.clear()
  deps.onRecord({
    state: 'idle',
    workedMs: state.budget.workedMs(),
    ...(!event.interrupted && { isActive: true }),
  })
  if (!isAborted && failure === undefined) state.onRunEnd()
}

/** A run that somebody aborted is aborted, however the agent words it: some report an error, or none. */
const asAborted = (event: EventOf<'agent_end'>): EventOf<'agent_end'> => {
  const { errorMessage: _, ...rest } = event
  return { ...rest, stopReason: 'aborted' }
}

/** Ends a run that the agent has not started and will not start, because it failed or was stopped. */
export const endUnstartedRun = (state: ConversationState, failure: DeliveryFailure): void => {
  const { title } = state.deps.agent
  if (state.isAborting)
    closeRun(
      state,
      { type: 'agent_end', stopReason: 'aborted' },
      {
        code: 'message_interrupted',
        message: `The run was stopped before ${title} confirmed this message.`,
      },
    )
  else
    closeRun(
      state,
      { type: 'agent_end', stopReason: 'error', errorMessage: failure.message },
      failure,
    )
}

const requeueMessages = ({ queue, receipts, isStopping, emit }: ConversationState): void => {
  receipts.requeued(queue.sent())
  queue.requeueSent()
  if (queue.totalSize() > 0 && !isStopping) emit(stillQueuedNotice(queue.totalSize()))
}

/** Sends an abort. The agent also drops the messages that it was sent and has not accepted. */
export const sendAbort = ({ driver, queue }: ConversationState): void => {
  void driver?.send({ type: 'abort', id: randomUUID(), sent: queue.sent() })
  // A frozen agent finds the abort before it can do anything else.
  driver?.freezer.unfreeze()
}

export const emitAll = ({ emit }: ConversationState, events: readonly AgentEvent[]): void => {
  for (const event of events) emit(event)
}
