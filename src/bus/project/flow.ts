import type { ProjectionTable } from './context.ts'

/** What becomes of the events about turns, queues, retries and compactions. */
export const flowProjections: ProjectionTable = {
  turn_state({ oldState, newState, timestamp, sessionId }, { to, ids }) {
    const { adapterId, agentId } = ids
    const payload = { adapterId, agentId, newState, oldState, timestamp, sessionId }
    const change = { subject: to['turn.state_changed'], payload }
    return newState === 'idle' ? [change] : [change, { subject: to[`turn.${newState}`], payload }]
  },
  auto_retry_start: (event, { to }) => [
    {
      subject: to.auto_retry_started,
      payload: { eventType: 'auto_retry_started', ...contentOf(event) },
    },
  ],
  auto_retry_end: (event, { to }) => [
    {
      subject: to.auto_retry_ended,
      payload: { eventType: 'auto_retry_ended', ...contentOf(event) },
    },
  ],
  compaction_start: (event, { to }) => [
    {
      subject: to.compaction_started,
      payload: { eventType: 'compaction_started', ...contentOf(event) },
    },
  ],
  compaction_end: (event, { to }) => [
    {
      subject: to.compaction_ended,
      payload: { eventType: 'compaction_ended', ...contentOf(event) },
    },
  ],
  queue_update: ({ queued, sessionId }, { to }) => [
    { subject: to.queue_update, payload: { eventType: 'queue_update', ...queued, sessionId } },
  ],
}

interface Stamps {
  type: string
  seq: number
  timestamp: number
}

/** What an event says, without what only its place in the log is. */
const contentOf = <Event extends Stamps>({ type, seq, timestamp, ...content }: Event) => content
