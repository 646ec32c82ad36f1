import type { Bus } from '../../bus/bus.ts'
import { createOpenState } from '../../events/open-state.ts'
import { createStamp } from '../../events/stamp.ts'
import type { AgentEvent, StampedEvent, TurnState } from '../../events/types.ts'
import type { InterruptReason } from '../../log/interrupt-reason.ts'
import type { Log } from '../../log/log.ts'
import { LogFault } from '../../log/log-fault.ts'
import type { ApprovalRecord, SessionRecord } from '../../log/types.ts'
import { catchErrors } from '../../shared/catch-errors.ts'
import { defined } from '../../shared/fields.ts'
import { createTurnTracker } from '../../turns/turns.ts'
import { createSessionPublisher } from '../bus/session-publisher.ts'
import { lostMessagesNotice } from '../conversation/notices.ts'
import { queueSize } from '../conversation/queue.ts'
import { lastCheckpoint } from '../recording/ledger-checkpoints.ts'
import { storeApprovals } from '../recording/store-approvals.ts'

/** What is needed to close a run: the log, and where its events are published. */
export interface CloseInterruptedDeps {
  log: Log
  bus?: Bus
  now(): number
  /** Called for each event once it is durable. */
  publish?(event: StampedEvent): void
  /** Receives errors thrown by listeners. */
  onError(cause: unknown): void
}

const sluiceExited: InterruptReason = {
  code: 'agent_exit',
  message: 'Sluice exited while the agent was working.',
}

/** Closes what the stored events of a session leave open, and sets its record to idle. */
export const closeInterrupted = async (
  record: SessionRecord,
  deps: CloseInterruptedDeps,
  reason?: InterruptReason,
): Promise<void> => {
  const { log, now } = deps
  // No run is open at a checkpoint, so the events before it need no closing.
  const after = (await lastCheckpoint(log, record.id))?.seq ?? 0
  try {
    for await (const _ of readAndClose(record, after, deps, reason));
  } catch (cause) {
    // A damaged session keeps its open run: nothing is added to it. No agent works in it any more.
    if (!(cause instanceof LogFault && cause.code === 'damaged')) throw cause
  }
  if (!isMarkedActive(record)) return
  const idle = { state: 'idle', pid: null, pidStartedAt: null } as const
  await log.sessions.update(record.id, { ...idle, updatedAt: now() })
}

/** Whether an agent is working, according to the record. */
export const isMarkedActive = ({ state, pid }: SessionRecord): boolean =>
  state === 'running' || pid !== undefined

/**
 * Reads the events of a session after a seq. If they leave something open, such as a run, its agent
 * is gone: the events that close it are stored, published and returned too. Nothing else may write
 * to the session meanwhile.
 */
export const readAndClose = async function* (
  record: SessionRecord,
  after: number,
  deps: CloseInterruptedDeps,
  reason: InterruptReason = sluiceExited,
): AsyncGenerator<StampedEvent> {
  const { log, bus, now } = deps
  const { id } = record
  const publisher = bus && createSessionPublisher(bus, record)
  const open = createOpenState()
  for (const request of await log.approvals.list({ sessionId: id, status: 'pending' }))
    open.push(requestEvent(request))
  let turn: TurnState = 'idle'
  let queued = 0
  for await (const event of log.read(id, after)) {
    open.push(event)
    publisher?.replay(event)
    if (event.type === 'turn_state') turn = event.newState
    if (event.type === 'queue_update') queued = queueSize(event.queued)
    yield event
  }
  const error: AgentEvent = { type: 'error', ...reason, fatal: false }
  const closing = [
    ...(open.isRunning() ? [error] : []),
    ...open.close({ reason: 'interrupted', errorMessage: reason.message, now: now() }),
    ...(queued > 0 ? [emptyQueue, lostMessagesNotice(queued)] : []),
  ]
  if (closing.length === 0) return
  const events = withTurnStates(turn, closing).map(createStamp(id, now, await log.head(id)))
  await log.append(id, events)
  await storeApprovals(log, events)
  const guarded = catchErrors(deps.onError)
  for (const event of events) {
    guarded(() => deps.publish?.(event))
    guarded(() => publisher?.publish(event))
    yield event
  }
}

/** Queued messages are only in memory, so they were lost with the process. */
const emptyQueue: AgentEvent = { type: 'queue_update', queued: { steering: [], followUp: [] } }

/** Adds after each event what it changes about the turn. */
const withTurnStates = (state: TurnState, events: readonly AgentEvent[]): AgentEvent[] => {
  const turns = createTurnTracker(state)
  return events.flatMap((event) => [event, ...turns.push(event).events])
}

const requestEvent = ({ approvalId, kind, toolCallId, deadline }: ApprovalRecord): AgentEvent => ({
  type: 'approval_request',
  approvalId,
  kind,
  ...defined({ toolCallId, deadline }),
})
