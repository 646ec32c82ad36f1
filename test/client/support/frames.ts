import type { Snapshot, StampedEvent } from '../../../src/events/types.ts'

/** A frame that holds an event. Default id: its seq. */
export const frame = (event: object, id?: string | number): string => {
  const own = 'seq' in event ? String(event.seq) : undefined
  const named = id === undefined ? own : String(id)
  return `${named === undefined ? '' : `id: ${named}\n`}data: ${JSON.stringify(event)}\n\n`
}

export const frames = (...events: object[]): string => events.map((each) => frame(each)).join('')

/** A snapshot of a session without messages. */
export const snapshotAt = (seq: number, sessionId = 's'): Snapshot => ({
  type: 'snapshot',
  sessionId,
  projectId: 'p',
  messages: [],
  isStreaming: false,
  seq,
})

/** A small event of a session. */
export const eventAt = (seq: number, sessionId = 's'): StampedEvent => ({
  type: 'error',
  code: 'agent_exit',
  message: `event ${seq}`,
  fatal: false,
  sessionId,
  seq,
  timestamp: seq,
})

export const resumeAt = (after: number, verdict: 'ok' | 'gap' = 'ok') => ({
  type: 'resume',
  verdict,
  after,
})

export const heartbeat = `:${' '.repeat(2045)}\n\n`
