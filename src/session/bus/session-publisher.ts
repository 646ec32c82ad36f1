import type { LineTap } from '../../agents/stream.ts'
import { adapterOf } from '../../bus/adapters.ts'
import type { Bus } from '../../bus/bus.ts'
import { createProjection } from '../../bus/project.ts'
import { projectSession } from '../../bus/project-session.ts'
import { SessionSubjects } from '../../bus/subjects/session.ts'
import type { StampedEvent } from '../../events/types.ts'
import type { SessionRecord } from '../../log/types.ts'
import { defined } from '../../shared/fields.ts'
import type { EndReason } from '../conversation/session.ts'

/** Publishes what happens in one session on a bus, also in the namespace of its agent’s adapter. */
export interface SessionPublisher {
  /** Takes an event into account that was published before; later events build on it. */
  replay(event: StampedEvent): void
  publish(event: StampedEvent): void
  /** Publishes the agent’s own lines, while somebody subscribes to them. */
  readonly lineTap?: LineTap
  /** Publishes that the session was created. */
  created(record: SessionRecord): void
  /** Publishes that the session’s agent has ended. */
  ended(timestamp: number, reason: EndReason, errorMessage?: string): void
}

export const createSessionPublisher = (
  bus: Bus,
  record: Pick<SessionRecord, 'id' | 'agent'>,
): SessionPublisher => {
  const { id: sessionId, agent } = record
  const adapter = adapterOf(agent)
  const ids = { adapterId: adapter?.name ?? agent, agentId: agent }
  const projection = adapter && createProjection(adapter.namespace, ids)

  const lineTap = adapter && {
    isWanted: () => bus.isWanted(adapter.subjects['sdk.event']),
    push(line: unknown) {
      const message = projection?.native(line, sessionId)
      if (message) bus.emit(message.subject, message.payload)
    },
  }

  return {
    ...defined({ lineTap }),
    replay(event) {
      projection?.push(event)
    },
    publish(event) {
      for (const { subject, payload } of projectSession(event)) bus.emit(subject, payload)
      for (const { subject, payload } of projection?.push(event) ?? []) bus.emit(subject, payload)
    },
    created({ createdAt: timestamp, projectId, state, nativeId, model, cwd, name }) {
      const optional = defined({ projectId, nativeId, model, name })
      bus.emit(SessionSubjects.created, { sessionId, timestamp, agent, state, cwd, ...optional })
    },
    ended(timestamp, reason, errorMessage) {
      const optional = defined({ errorMessage })
      bus.emit(SessionSubjects.ended, { sessionId, timestamp, reason, ...optional })
    },
  }
}
