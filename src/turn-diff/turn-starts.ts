import { setTimeout as delay } from 'node:timers/promises'
import type { StampedEvent } from '../events/types.ts'
import type { Log } from '../log/log.ts'
import type { TurnDiffs } from './turn-diffs.ts'

/**
 * Records a baseline whenever a run starts. The server passes every published event; the route that
 * answers approvals waits for the baseline.
 */
export interface TurnStarts {
  /** Called with every published event. */
  onEvent(event: StampedEvent): void
  /**
   * Resolves when the baseline of a session is recorded, or after five seconds. What an approved
   * tool does from then on shows as a change.
   */
  waitForBaseline(sessionId: string): Promise<void>
}

export interface TurnStartsOptions {
  log: Pick<Log, 'sessions'>
  turnDiffs: Pick<TurnDiffs, 'startTurn'>
  onError(cause: unknown): void
}

/** An approval does not wait longer than this for a large work tree. */
const patienceMs = 5000

export const createTurnStarts = ({ log, turnDiffs, onError }: TurnStartsOptions): TurnStarts => {
  const recording = new Map<string, Promise<void>>()

  const directoryOf = async (id: string) => (await log.sessions.get(id))?.cwd

  return {
    onEvent(event) {
      if (event.type !== 'agent_start') return
      const { sessionId, seq, timestamp } = event
      const recorded = turnDiffs
        .startTurn(sessionId, directoryOf(sessionId), { seq, timestamp })
        .catch(onError)
        .finally(() => {
          if (recording.get(sessionId) === recorded) recording.delete(sessionId)
        })
      recording.set(sessionId, recorded)
    },
    async waitForBaseline(sessionId) {
      const recorded = recording.get(sessionId)
      if (!recorded) return
      const timeout = new AbortController()
      const late = delay(patienceMs, undefined, { signal: timeout.signal }).catch(() => {})
      await Promise.race([recorded, late])
      timeout.abort()
    },
  }
}
