import type { SessionInfo } from '../../../src/api/index.ts'
import { compareSessions, isActiveSession } from '../../../src/api/session-order.ts'
import type { LoopInfo } from '../../../src/events/index.ts'

/** The sessions of one project. */
export interface ProjectGroup {
  readonly projectId: string | undefined
  readonly sessions: readonly SessionInfo[]
}

/** The sessions of one loop. */
export interface LoopGroup {
  readonly loopId: string
  /** Undefined if the server no longer lists the loop. */
  readonly loop: LoopInfo | undefined
  /** Its iterations, the last one first. */
  readonly sessions: readonly SessionInfo[]
}

/** Sessions in the order in which they are listed. */
export interface SessionGroups {
  /** Those that wait for a person, then those that work, then those that failed; of all projects. */
  readonly active: readonly SessionInfo[]
  /** Loops that go on, the latest first. Their iterations are listed nowhere else. */
  readonly openLoops: readonly LoopGroup[]
  /** Loops that are over, the latest first. */
  readonly doneLoops: readonly LoopGroup[]
  /** The others by project. Sessions and projects with the latest activity come first. */
  readonly projects: readonly ProjectGroup[]
}

/** Groups sessions: what is going on comes before what rests, however long the lists are. */
export const groupSessions = (
  sessions: readonly SessionInfo[],
  loops: readonly LoopInfo[] = [],
): SessionGroups => {
  const sorted = sessions.filter(({ loopId }) => loopId === undefined).toSorted(compareSessions)
  const resting = sorted.filter((session) => !isActiveSession(session))
  const groups = Map.groupBy(resting, (session) => session.projectId)
  const loopGroups = groupLoops(sessions, loops)
  return {
    active: sorted.filter(isActiveSession),
    openLoops: loopGroups.filter(isOpenLoop),
    doneLoops: loopGroups.filter((group) => !isOpenLoop(group)),
    projects: [...groups].map(([projectId, members]) => ({ projectId, sessions: members })),
  }
}

const isOpenLoop = ({ loop }: LoopGroup): boolean => loop !== undefined && loop.state !== 'done'

/** One group for each loop that is known or has sessions. */
const groupLoops = (
  sessions: readonly SessionInfo[],
  loops: readonly LoopInfo[],
): readonly LoopGroup[] => {
  const iterations = Map.groupBy(sessions, ({ loopId }) => loopId ?? '')
  const ids = new Set([...loops.map(({ id }) => id), ...iterations.keys()])
  ids.delete('')
  return [...ids]
    .map((loopId) => ({
      loopId,
      loop: loops.find(({ id }) => id === loopId),
      sessions: (iterations.get(loopId) ?? []).toSorted(
        (a, b) => (b.iteration ?? 0) - (a.iteration ?? 0),
      ),
    }))
    .toSorted((a, b) => lastChange(b) - lastChange(a))
}

const lastChange = ({ loop, sessions }: LoopGroup): number =>
  loop?.createdAt ?? sessions[0]?.createdAt ?? 0
