import { realpathSync } from 'node:fs'
import { Fault } from '../shared/fault.ts'
import { plainLine } from './clean-text.ts'
import { byLastActivity, type NamedSession } from './find-session.ts'

/** Which session `--continue` means. */
export interface LastSessionOptions {
  cwd: string
  /** Only sessions of this agent. */
  agent?: string | undefined
}

/** Sessions that a loop has created, and read-only ones, are not meant. */
interface ContinuableSession extends NamedSession {
  loopId?: string | undefined
  imported?: object | undefined
  watched?: object | undefined
}

/** The session of a directory that was used last. Throws a fault when there is none. */
export const lastSessionIn = <Session extends ContinuableSession>(
  sessions: readonly Session[],
  { cwd, agent }: LastSessionOptions,
): Session => {
  const path = knownPath(cwd)
  const [last] = sessions
    .filter(({ imported, watched, loopId }) => (imported ?? watched ?? loopId) === undefined)
    .filter((each) => knownPath(each.cwd) === path)
    .filter((each) => agent === undefined || each.agent === agent)
    .toSorted(byLastActivity)
  if (last) return last
  const whose = agent === undefined ? 'session' : `session of ${agent}`
  throw new Fault('usage', `There is no ${whose} in ${plainLine(cwd)} to continue.`)
}

/** The directory without links. One of another machine, or one that is gone, is compared as it is. */
export const knownPath = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
