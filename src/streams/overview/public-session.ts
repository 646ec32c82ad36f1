import type { LiveSummary, Session } from '../../api/session.ts'
import type { SessionRecord } from '../../log/session-record.ts'

/** A session as callers see it: without the agent’s own id and process. */
export const sessionOf = (record: SessionRecord, live: LiveSummary | undefined): Session => {
  const { nativeId: _, pid: __, pidStartedAt: ___, ...told } = record
  return { ...told, ...live }
}
