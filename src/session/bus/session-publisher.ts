import { adapterOf } from '../../bus/adapters.ts'
import type { Bus } from '../../bus/bus.ts'
import { createProjection } from '../../bus/project.ts'
import { projectSession } from '../../bus/project-session.ts'
import { SessionSubjects } from '../../bus/subjects/session.ts'
import type { StampedEvent } from '../../events/types.ts'
import type { SessionRecord } from '../../log/types.ts'
import type { EndReason } from '../conversation/runner.ts'

/** Tells a bus what happens in one session: its events, in the words of its agent’s adapter too. */
export const createSessionPublisher = (bus: Bus, record: Pick<SessionRecord, 'id' | 'agent'>) => {
  const { id: sessionId, agent } = record
  const adapter = adapterOf(agent)
  const ids = { adapterId: adapter?.name ?? agent, agentId: agent }
  const projection = adapter && createProjection(adapter.namespace, ids)

  return {
    /** An event that was told before; what comes later builds on it. */
    remember: (event: StampedEvent): void => void projection?.push(event),
    event(event: StampedEvent): void {
      for (const { subject, payload } of projectSession(event)) bus.emit(subject, payload)
      for (const { subject, payload } of projection?.push(event) ?? []) bus.emit(subject, payload)
    },
    created({ createdAt: timestamp, projectId, state, nativeId, model, cwd, name }: SessionRecord) {
      bus.emit(SessionSubjects.created, {
        sessionId,
        timestamp,
        agent,
        state,
        cwd,
        ...(projectId !== undefined && { projectId }),
        ...(nativeId !== undefined && { nativeId }),
        ...(model !== undefined && { model }),
        ...(name !== undefined && { name }),
      })
    },
    ended(timestamp: number, reason: EndReason, errorMessage?: string): void {
      bus.emit(SessionSubjects.ended, {
        sessionId,
        timestamp,
        reason,
        ...(errorMessage !== undefined && { errorMessage }),
      })
    },
  }
}
export type SessionPublisher = ReturnType<typeof createSessionPublisher>
