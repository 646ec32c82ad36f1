import { createOpenState } from '../../events/open-state.ts'
import { createStamp } from '../../events/stamp.ts'
import type { AgentEvent, EventOf, StampedEvent, TurnState } from '../../events/types.ts'
import type { ApprovalRecord, SessionRecord } from '../../log/types.ts'
import { catchErrors } from '../../shared/catch-errors.ts'
import { reasonOf } from '../../shared/reason.ts'
import { createTurnTracker } from '../../turns/turns.ts'
import { createSessionPublisher } from '../bus/session-publisher.ts'
import { lostMessagesNotice } from '../conversation/notices.ts'
import { queueSize } from '../conversation/queue.ts'
import { storeApprovals } from '../recording/store-approvals.ts'
import type { LoadOptions } from './load-session.ts'

export type CloseInterruptedOptions = Pick<
  LoadOptions,
  'log' | 'bus' | 'now' | 'publish' | 'onError'
>
export type InterruptReason = Pick<EventOf<'error'>, 'code' | 'message'>

/** Why a run has no end, where nothing more is known. */
const sluiceEnded: InterruptReason = {
  code: 'agent_exit',
  message: 'Sluice ended while the agent was working.',
}

/** Why a run has no end, where the log refused to keep it. */
export const notStored = (cause: unknown): InterruptReason => ({
  code: 'log_failed',
  message: `What the agent did could not be stored, so it was stopped: ${reasonOf(cause)}`,
})

/**
 * The events of a session behind `from`. Whatever they leave open, a run above all, has no agent any
 * more: behind them come the events that close it, once they are stored and told. Nobody else may
 * write to the session in the meantime.
 */
export const readAndClose = async function* (
  record: SessionRecord,
  from: number,
  options: CloseInterruptedOptions,
  why: InterruptReason = sluiceEnded,
): AsyncGenerator<StampedEvent> {
  const { log, bus, now, publish, onError } = options
  const { id } = record
  const teller = bus && createSessionPublisher(bus, record)
  const open = createOpenState()
  for (const request of await log.approvals.list({ sessionId: id, status: 'pending' }))
    open.push(requestOf(request))
  let turn: TurnState = 'idle'
  let waiting = 0
  for await (const event of log.read(id, from)) {
    open.push(event)
    teller?.remember(event)
    if (event.type === 'turn_state') turn = event.newState
    if (event.type === 'queue_update') waiting = queueSize(event.queued)
    yield event
  }
  const failure: AgentEvent = { type: 'error', ...why, fatal: false }
  const closing = [
    ...(open.isRunning() ? [failure] : []),
    ...open.close({ reason: 'interrupted', errorMessage: why.message, now: now() }),
    ...(waiting > 0 ? [emptyQueue, lostMessagesNotice(waiting)] : []),
  ]
  if (closing.length === 0) return
  const events = withTurns(turn, closing).map(createStamp(id, now, await log.head(id)))
  await log.append(id, events)
  await storeApprovals(log, events)
  const guarded = catchErrors(onError)
  for (const event of events) {
    guarded(() => publish?.(event))
    guarded(() => teller?.event(event))
    yield event
  }
}

/** Messages that wait are kept in memory, and gone with it. */
const emptyQueue: AgentEvent = { type: 'queue_update', queued: { steering: [], followUp: [] } }

/** Puts behind events what they do to the turn. */
const withTurns = (state: TurnState, events: readonly AgentEvent[]): AgentEvent[] => {
  const turns = createTurnTracker(state)
  return events.flatMap((event) => [event, ...turns.push(event).events])
}

const requestOf = ({ approvalId, kind, toolCallId, deadline }: ApprovalRecord): AgentEvent => ({
  type: 'approval_request',
  approvalId,
  kind,
  ...(toolCallId !== undefined && { toolCallId }),
  deadline,
})
