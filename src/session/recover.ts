import type { StampedEvent } from '../events/envelope.ts'
import type { AgentEvent } from '../events/event.ts'
import type { TurnState } from '../events/run-events.ts'
import { createStamp } from '../events/stamp.ts'
import type { ApprovalRecord } from '../log/approval-record.ts'
import type { Log } from '../log/log.ts'
import type { SessionRecord } from '../log/session-record.ts'
import { createTurns, turnStateEvents } from '../turns/turns.ts'
import { reachOf } from './account.ts'
import { createBusTeller } from './bus-teller.ts'
import { endOrphan } from './orphans.ts'
import { createOpenState } from './settle.ts'
import { storeApprovals } from './store-approvals.ts'
import type { WakeOptions } from './wake.ts'

type RecoverOptions = Pick<WakeOptions, 'log' | 'bus' | 'now' | 'publish' | 'onError'>

const lost = 'Sluice ended while the agent was working.'
const died: AgentEvent = { type: 'error', code: 'agent_exit', message: lost, fatal: false }

/**
 * What a server that died left behind: agents that still run are ended, open runs are closed with
 * an error, requests that waited are expired or without an agent.
 */
export const recover = async (options: RecoverOptions): Promise<void> => {
  const { log, now } = options
  for await (const record of unsettled(log)) await settle(record, options)
  for (const request of await log.approvals.list({ status: 'pending' })) {
    const status = request.deadline <= now() ? 'expired' : 'agent_gone'
    await log.approvals.put({ ...request, status, action: 'deny', resolvedAt: now() })
  }
}

/** Sessions whose record says that an agent works or lives. */
const unsettled = async function* (log: Log): AsyncGenerator<SessionRecord> {
  let before: SessionRecord | undefined
  do {
    const page = await log.sessions.list({ withRemoved: true, before })
    for (const record of page)
      if (record.state === 'running' || record.pid !== undefined) yield record
    before = page.at(-1)
  } while (before)
}

/** Puts behind events what they do to the turn. */
const withTurns = (state: TurnState, events: readonly AgentEvent[]): AgentEvent[] => {
  const turns = createTurns(state)
  return events.flatMap((event) => [event, ...turnStateEvents(turns.push(event).moves)])
}

const requestOf = ({ approvalId, toolCallId, deadline }: ApprovalRecord): AgentEvent => ({
  type: 'approval_request',
  approvalId,
  ...(toolCallId !== undefined && { toolCallId }),
  deadline,
})

const settle = async (record: SessionRecord, options: RecoverOptions): Promise<void> => {
  const { log, bus, now, publish, onError } = options
  const { id, pid, pidStartedAt } = record
  if (pid !== undefined && pidStartedAt !== undefined) endOrphan(pid, pidStartedAt)
  const teller = bus && createBusTeller(bus, record)
  const open = createOpenState()
  for (const request of await log.approvals.list({ sessionId: id, status: 'pending' }))
    open.push(requestOf(request))
  // The account is kept where no run is open: what came before needs no closing.
  const from = (await reachOf(log, id))?.seq ?? 0
  let turn: TurnState = 'idle'
  for await (const event of log.read(id, from)) {
    open.push(event)
    teller?.remember(event)
    if (event.type === 'turn_state') turn = event.newState
  }
  const closing = [...(open.isRunning() ? [died] : []), ...open.close(lost, now())]
  const events = withTurns(turn, closing).map(createStamp(id, now, await log.head(id)))
  await log.append(id, events)
  await storeApprovals(log, events)
  await log.sessions.update(id, {
    state: 'idle',
    pid: null,
    pidStartedAt: null,
    updatedAt: now(),
  })

  const tell = (event: StampedEvent) => {
    try {
      publish?.(event)
      teller?.event(event)
    } catch (cause) {
      onError(cause)
    }
  }
  for (const event of events) tell(event)
}
