import type { Bus } from '../../bus/bus.ts'
import { createOpenState, type OpenState } from '../../events/open-state.ts'
import { createStamp } from '../../events/stamp.ts'
import type { AgentEvent, StampedEvent, TurnState } from '../../events/types.ts'
import type { InterruptReason } from '../../log/interrupt-reason.ts'
import type { Log } from '../../log/log.ts'
import { LogFault } from '../../log/log-fault.ts'
import type { ApprovalRecord, SessionRecord } from '../../log/types.ts'
import { catchErrors } from '../../shared/catch-errors.ts'
import { defined } from '../../shared/fields.ts'
import { createTurnTracker, withTurnStates } from '../../turns/turns.ts'
import { createSessionPublisher } from '../bus/session-publisher.ts'
import {
  interruptedMessages,
  interruptedRun,
  type UnconfirmedMessages,
} from '../conversation/interrupted-messages.ts'
import { lastCheckpoint } from '../recording/ledger-checkpoints.ts'
import { createBlobWriter } from '../recording/session-recorder.ts'
import { storeApprovals } from '../recording/store-approvals.ts'
import { openCommands } from './close-commands.ts'
import { createMissedOutcomes } from './missed-outcomes.ts'

/** What is needed to close a run: the log, and where its events are published. */
export interface CloseInterruptedDeps {
  log: Log
  bus?: Bus
  now(): number
  /** Called for each event once it is durable. */
  publish?(event: StampedEvent): void
  /** Called when the record of a session was set to idle: readers may have seen it as running. */
  onIdle?(record: SessionRecord): void
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
  const { log } = deps
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
  const updated = await log.sessions.update(record.id, idle)
  deps.onIdle?.(updated)
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
  const pending = await log.approvals.list({ sessionId: id, status: 'pending' })
  for (const request of pending) open.push(requestEvent(request))
  const outcomes = createMissedOutcomes(pending)
  let turn: TurnState = 'idle'
  const commands = await openCommands(log, id, after)
  /** Where the process was killed right behind the event, their records are missing. */
  const requests: StampedEvent[] = []
  for await (const event of log.read(id, after)) {
    open.push(event)
    publisher?.replay(event)
    if (event.type === 'turn_state') turn = event.newState
    commands.push(event)
    if (event.type === 'approval_request') requests.push(event)
    outcomes.push(event)
    yield event
  }
  if (outcomes.mayBeEarlier())
    for await (const event of log.read(id, 0, after))
      if (outcomes.pushEarlier(event)) open.push(event)
  await storeApprovals(log, outcomes.events())
  const head = await log.head(id)
  const closing = [
    ...closingEvents(open, commands.unconfirmed(), { head, agent: record.agent, reason, now }),
    ...commands.queueEvents(),
  ]
  if (closing.length === 0) {
    await commands.close()
    return
  }
  const blobs = createBlobWriter(log, id)
  const events = withAllTurnStates(turn, closing)
    .map(blobs.extract)
    .map(createStamp(id, now, head))
  await blobs.stored()
  const appended = log.append(id, events)
  const closed = commands.close()
  closed.catch(() => {}) // it is awaited below, unless the append fails
  await appended
  const guarded = catchErrors(deps.onError)
  try {
    await closed
    await storeApprovals(log, [...(await withoutRecord(log, requests)), ...events])
  } finally {
    // The events are stored and must be published, even if the rest fails: nobody closes the run again.
    for (const event of events) {
      guarded(() => deps.publish?.(event))
      guarded(() => publisher?.publish(event))
    }
  }
  yield* events
}

/** The approval requests that were not stored beside their events. */
const withoutRecord = async (
  log: Log,
  requests: readonly StampedEvent[],
): Promise<StampedEvent[]> => {
  const missing: StampedEvent[] = []
  for (const event of requests)
    if (event.type === 'approval_request' && !(await log.approvals.get(event.approvalId)))
      missing.push(event)
  return missing
}

interface ClosingOptions {
  /** The seq of the last event. */
  head: number
  agent: string
  reason: InterruptReason
  now(): number
}

/** The events that close an open run, with the messages that the agent has not confirmed. */
const closingEvents = (
  open: OpenState,
  unconfirmed: UnconfirmedMessages,
  { head, agent, reason, now }: ClosingOptions,
): AgentEvent[] => {
  const isRunning = open.isRunning()
  const ended = reason.code === 'agent_exit' ? 'sluice' : 'log'
  const events = open.close({ reason: 'interrupted', errorMessage: reason.message, now: now() })
  if (!isRunning) {
    const start: AgentEvent[] = head === 0 ? [{ type: 'session_start', agent }] : []
    const run = interruptedRun(unconfirmed, ended)
    return run.length > 0 ? [...start, ...events, ...run] : events
  }
  const error: AgentEvent = { type: 'error', ...reason, fatal: false }
  // The last event ends the run.
  const messages = interruptedMessages(unconfirmed, ended)
  return [error, ...events.slice(0, -1), ...messages, ...events.slice(-1)]
}

/** Adds to each event what it changes about the turn. */
const withAllTurnStates = (state: TurnState, events: readonly AgentEvent[]): AgentEvent[] => {
  const turns = createTurnTracker(state)
  return events.flatMap((event) => withTurnStates(event, turns.push(event).events))
}

const requestEvent = ({ approvalId, kind, toolCallId, deadline }: ApprovalRecord): AgentEvent => ({
  type: 'approval_request',
  approvalId,
  kind,
  ...defined({ toolCallId, deadline }),
})
