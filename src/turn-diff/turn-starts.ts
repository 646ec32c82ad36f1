import { setTimeout as pause } from 'node:timers/promises'
import type { StampedEvent } from '../events/types.ts'
import type { Log } from '../log/log.ts'
import type { TurnDiffs } from './turn-diffs.ts'

export interface TurnStartsOptions {
  log: Pick<Log, 'sessions'>
  turnDiffs: Pick<TurnDiffs, 'startTurn'>
  onError(cause: unknown): void
}

/** Nobody waits longer for a large tree. */
const patienceMs = 5000

/** Has the state of a directory taken down whenever a run begins there. */
export const createTurnStarts = ({ log, turnDiffs, onError }: TurnStartsOptions) => {
  const taking = new Map<string, Promise<void>>()

  const cwdOf = async (id: string) => (await log.sessions.get(id))?.cwd

  return {
    /** Takes every event that is published. */
    onEvent(event: StampedEvent): void {
      if (event.type !== 'agent_start') return
      const { sessionId, seq, timestamp } = event
      const taken = turnDiffs
        .startTurn(sessionId, cwdOf(sessionId), { seq, timestamp })
        .catch(onError)
        .finally(() => {
          if (taking.get(sessionId) === taken) taking.delete(sessionId)
        })
      taking.set(sessionId, taken)
    },
    /** Settles when it is taken down: what is allowed to run then shows as a change. */
    async waitForBaseline(sessionId: string): Promise<void> {
      const waiting = taking.get(sessionId)
      if (!waiting) return
      const limit = new AbortController()
      const late = pause(patienceMs, undefined, { signal: limit.signal }).catch(() => {})
      await Promise.race([waiting, late])
      limit.abort()
    },
  }
}
export type TurnStarts = ReturnType<typeof createTurnStarts>
