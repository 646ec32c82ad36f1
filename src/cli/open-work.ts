import { join } from 'node:path'
import type { StampedEvent } from '../events/types.ts'
import type { AgentContext } from '../http/app-context.ts'
import type { Log } from '../log/log.ts'
import type { SessionLifecycleEvent } from '../session/registry/session-lifecycle.ts'
import { openSessions } from '../session/registry/sessions.ts'
import { createTurnDiffs } from '../turn-diff/turn-diffs.ts'
import { createTurnStarts } from '../turn-diff/turn-starts.ts'
import { createAgentCatalog } from './agent-catalog.ts'

export interface OpenWorkOptions {
  data: string
  log: Log
  publish(event: StampedEvent): void
  announce(news: SessionLifecycleEvent): void
  onError(cause: unknown): void
}

/** What of the server works with agents and directories: loaded behind the first stream. */
export const openWork = async (options: OpenWorkOptions) => {
  const { data, log, publish, announce, onError } = options
  const turnDiffs = createTurnDiffs({ directory: join(data, 'turns'), log, onError })
  const turnStarts = createTurnStarts({ log, turnDiffs, onError })
  const sessions = await openSessions({
    log,
    publish(event) {
      turnStarts.onEvent(event)
      publish(event)
    },
    onSession: announce,
    onError,
    policy: 'ask',
  })
  const work: AgentContext = { sessions, turnDiffs, turnStarts, agents: createAgentCatalog() }
  return {
    work,
    /** Settles when no run is going on, and none is about to begin. */
    idle: sessions.idle,
    /** Ends the agents by force and at once. */
    kill: sessions.kill,
    /** Ends the agents. */
    async close(): Promise<void> {
      await sessions.close()
      await turnDiffs.close()
    },
  }
}
