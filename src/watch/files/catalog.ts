import { allSessions } from '../../log/all-sessions.ts'
import type { Log } from '../../log/log.ts'
import type { ForkUsage } from './fork-usage.ts'

/** Which state of which files is read. */
export interface Catalog {
  /** Whether this state of a session’s files is read to the end. */
  isRead(file: string, state: string): boolean
  /** The agent’s own id of the session in a file, if it was read before. */
  nativeIdOf(file: string): string | undefined
  /** Notes that a state of the files is read, or is not to be read. */
  setRead(file: string, state: string, nativeId?: string): void
}

/** Reads from the log what earlier starts have read. */
export const loadCatalog = async (log: Log, forks: Pick<ForkUsage, 'note'>): Promise<Catalog> => {
  const read = new Map<string, { state: string; nativeId?: string | undefined }>()
  for (const { id, watched } of await allSessions(log)) {
    if (!watched) continue
    const { file, read: state = '', nativeId, beginning } = watched
    if (file !== undefined) read.set(file, { state, nativeId })
    if (beginning !== undefined) forks.note(id, beginning, watched)
  }
  return {
    isRead: (file, state) => read.get(file)?.state === state,
    nativeIdOf: (file) => read.get(file)?.nativeId,
    setRead: (file, state, nativeId = read.get(file)?.nativeId) =>
      void read.set(file, { state, nativeId }),
  }
}
