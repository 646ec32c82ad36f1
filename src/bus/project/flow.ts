import type { TurnState } from '../../events/types.ts'
import type { AdapterMessage, ProjectionContext, ProjectionTable } from './context.ts'

/** Projects the events about turns, queues, retries and compactions. */
export const flowProjections: ProjectionTable = {
  turn_state({ oldState, newState, timestamp, sessionId }, { subjects, ids }) {
    const { adapterId, agentId } = ids
    const payload = { adapterId, agentId, newState, oldState, timestamp, sessionId }
    const change = { subject: subjects['turn.state_changed'], payload }
    return [change, ...stateMessages[newState]({ subjects, payload })]
  },
  auto_retry_start: (event, { subjects }) => [
    {
      subject: subjects.auto_retry_started,
      payload: { eventType: 'auto_retry_started', ...contentOf(event) },
    },
  ],
  auto_retry_end: (event, { subjects }) => [
    {
      subject: subjects.auto_retry_ended,
      payload: { eventType: 'auto_retry_ended', ...contentOf(event) },
    },
  ],
  compaction_start: (event, { subjects }) => [
    {
      subject: subjects.compaction_started,
      payload: { eventType: 'compaction_started', ...contentOf(event) },
    },
  ],
  compaction_end: (event, { subjects }) => [
    {
      subject: subjects.compaction_ended,
      payload: { eventType: 'compaction_ended', ...contentOf(event) },
    },
  ],
  queue_update: ({ queued, sessionId }, { subjects }) => [
    {
      subject: subjects.queue_update,
      payload: { eventType: 'queue_update', ...queued, sessionId },
    },
  ],
}

interface TurnChange {
  subjects: ProjectionContext['subjects']
  payload: Extract<AdapterMessage, { subject: `${string}.turn.state_changed` }>['payload']
}

/** The message of each turn state. One by one: the compiler gives up on a large union of subjects. */
const stateMessages: Record<TurnState, (change: TurnChange) => AdapterMessage[]> = {
  idle: () => [],
  turn_started: ({ subjects, payload }) => [{ subject: subjects['turn.turn_started'], payload }],
  step_started: ({ subjects, payload }) => [{ subject: subjects['turn.step_started'], payload }],
  step_finished: ({ subjects, payload }) => [{ subject: subjects['turn.step_finished'], payload }],
  turn_finished: ({ subjects, payload }) => [{ subject: subjects['turn.turn_finished'], payload }],
}

interface StampFields {
  type: string
  seq: number
  timestamp: number
}

/** An event without its type and its position in the log. */
const contentOf = <Event extends StampFields>({ type, seq, timestamp, ...content }: Event) =>
  content
