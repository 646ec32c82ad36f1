import type { Snapshot, StampedEvent } from '../../../src/events/types.ts'

/** An event as a frame. */
export const frame = (event: object, id?: string | number): string => {
  const own = 'seq' in event ? String(event.seq) : undefined
  const named = id === undefined ? own : String(id)
  return `${named === undefined ? '' : `id: ${named}\n`}data: ${JSON.stringify(event)}\n\n`
}

export const frames = (...events: object[]): string => events.map((each) => frame(each)).join('')

/** A snapshot of an empty session at some point. */
export const snapshotAt = (seq: number, sessionId = 's'): Snapshot => ({
  type: 'snapshot',
  sessionId,
  projectId: 'p',
  messages: [],
  isStreaming: false,
  seq,
})

/** An event that says little. */
export const eventAt = (seq: number, sessionId = 's'): StampedEvent => ({
  type: 'error',
  code: 'agent_exit',
  message: `event ${seq}`,
  fatal: false,
  sessionId,
  seq,
  timestamp: seq,
})

export const resumed = (after: number, verdict: 'ok' | 'gap' = 'ok') => ({
  type: 'resume',
  verdict,
  after,
})

export const heartbeat = `:${' '.repeat(2045)}\n\n`
