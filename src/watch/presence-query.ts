import type { SessionRecord } from '../log/types.ts'
import type { PresenceQuery } from '../presence/presence.ts'

/** Agents that store all sessions in one file, whose time says nothing about a single one. */
const sharedFiles: ReadonlySet<string> = new Set(['opencode'])

/** How the registry of processes finds the agent of a session. Undefined if the session is not watched. */
export const presenceQueryOf = ({
  agent,
  cwd,
  lastActivity,
  watched,
}: SessionRecord): PresenceQuery | undefined => {
  if (!watched) return undefined
  const { nativeId, file } = watched
  const isShared = sharedFiles.has(agent)
  return {
    ...{ agent, cwd, nativeId, file },
    lastWrite: isShared || file === undefined ? lastActivity : undefined,
  }
}
