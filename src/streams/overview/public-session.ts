import type { LiveSummary, SessionInfo } from '../../api/types.ts'
import type { SessionRecord } from '../../log/types.ts'

/** A session as callers see it: without the agent’s own id and process. */
export const sessionInfoOf = (
  record: SessionRecord,
  live: LiveSummary | undefined,
): SessionInfo => {
  const { nativeId: _, pid: __, pidStartedAt: ___, ...told } = record
  return { ...told, ...live }
}
