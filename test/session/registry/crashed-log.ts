import { expect } from 'vitest'
import { createStamp } from '../../../src/events/stamp.ts'
import type { AgentEvent, StampedEvent } from '../../../src/events/types.ts'
import { type Log, openMemoryLog } from '../../../src/log/index.ts'
import { storeApprovals } from '../../../src/session/recording/store-approvals.ts'
import { recover } from '../../../src/session/registry/recover.ts'
import { all, session } from '../../log/samples.ts'
import { ofType } from '../../support/decoded.ts'

/** A run that ended. */
export const firstRun: AgentEvent[] = [
  { type: 'session_start', agent: 'pi' },
  { type: 'agent_start' },
  { type: 'turn_state', oldState: 'idle', newState: 'turn_started' },
  { type: 'turn_state', oldState: 'turn_started', newState: 'turn_finished' },
  { type: 'agent_end', stopReason: 'stop' },
]
/** A run that is interrupted, with two open approval requests. */
export const interruptedRun: AgentEvent[] = [
  { type: 'agent_start' },
  { type: 'turn_state', oldState: 'turn_finished', newState: 'turn_started' },
  { type: 'message_start', messageRole: 'assistant', messageId: 'm1', model: 'm' },
  { type: 'turn_state', oldState: 'turn_started', newState: 'step_started' },
  { type: 'approval_request', kind: 'tool', approvalId: 'past', toolCallId: 'a', deadline: 50 },
  { type: 'approval_request', kind: 'tool', approvalId: 'future', toolCallId: 'b', deadline: 500 },
]

/** A log as a crashed server leaves it. */
export const crashedLog = async () => {
  const log = await openMemoryLog()
  await log.sessions.create(session('s', { agent: 'pi', state: 'running' }))
  const stamp = createStamp('s', () => 10)
  const store = async (events: readonly AgentEvent[]) => {
    const stamped = events.map(stamp)
    await log.append('s', stamped)
    await storeApprovals(log, stamped)
  }
  return { log, store }
}

/** Recovers the log as the next server does. `afters`: from where events were read. */
export const recoverLog = async (log: Log) => {
  const afters: number[] = []
  const published: StampedEvent[] = []
  await recover({
    log: {
      ...log,
      read(id, after, limit) {
        afters.push(after)
        return log.read(id, after, limit)
      },
    },
    now: () => 100,
    publish: (event) => published.push(event),
    onError: (cause) => expect.unreachable(String(cause)),
  })
  return { afters, published, events: await all(log.read('s', 0)) }
}

/** The outcomes of approvals, by id. */
export const resolved = (events: readonly AgentEvent[]) =>
  ofType(events, 'approval_resolved').sort((left, right) =>
    left.approvalId.localeCompare(right.approvalId),
  )
