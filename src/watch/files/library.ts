import type { Log } from '../../log/log.ts'
import type { FileSource } from '../sources/file-source.ts'
import type { WatchSwitches } from '../watch-switches.ts'
import type { WatchedSessions } from '../watched-sessions.ts'
import { loadCatalog } from './catalog.ts'
import type { FoundSession } from './find-files.ts'
import { createForkUsage } from './fork-usage.ts'
import { createSessionClaims } from './session-claims.ts'
import { createSessionReader, type ReadOutcome, type SessionReader } from './session-reader.ts'

/** All session files, and which of them are read. */
export interface FileLibrary {
  /** Whether the files of a session are read as they are now. */
  isRead(root: string, found: FoundSession): boolean
  /** Reads the files of a session once, to the end. */
  read(source: FileSource, root: string, found: FoundSession): Promise<ReadOutcome>
  /** Opens the files of a session to follow them. */
  open(source: FileSource, root: string, path: string): Promise<SessionReader>
  /** Notes in memory what a reader that is still open has read. */
  setRead(reader: SessionReader, root: string, found: FoundSession): void
  /** Notes it in the record of the session, too. */
  noteRead(reader: SessionReader, root: string, found: FoundSession): Promise<void>
  /** Whether a file is known to be one that a person has switched off. */
  isOff(source: FileSource, root: string, path: string): boolean
  /** The agent’s own id of the session in a file, if it was read before. */
  nativeIdOf(root: string, path: string): string | undefined
}

export interface LibraryOptions {
  log: Log
  watched: WatchedSessions
  /** Default: everything is read. */
  switches?: Pick<WatchSwitches, 'isOff'>
  now?(): number
}

/** An agent that has written nothing for so long is done with its run. */
export const quietMs = 10 * 60 * 1000

export const openFileLibrary = async (options: LibraryOptions): Promise<FileLibrary> => {
  const { log, watched, switches, now = Date.now } = options
  const forks = createForkUsage(log)
  const claims = createSessionClaims()
  const catalog = await loadCatalog(log, forks)
  /** Where the sessions of files work that were switched off when they were looked at. */
  const offDirectories = new Map<string, string>()

  const setRead: FileLibrary['setRead'] = (reader, root, { path, state }) =>
    catalog.setRead(`${root}/${path}`, state, reader.nativeId())
  const noteRead: FileLibrary['noteRead'] = async (reader, root, found) => {
    setRead(reader, root, found)
    await reader.session()?.update({ file: `${root}/${found.path}`, read: found.state })
  }
  const open: FileLibrary['open'] = (source, root, path) =>
    createSessionReader({
      ...{ log, watched, source, root, path, forks, claims },
      isOff(session) {
        const isOff = switches?.isOff(session) ?? false
        if (isOff) offDirectories.set(`${root}/${path}`, session.cwd)
        return isOff
      },
    })

  return {
    ...{ open, setRead, noteRead },
    isOff: ({ agent }, root, path) =>
      switches?.isOff({ agent, cwd: offDirectories.get(`${root}/${path}`) }) ?? false,
    nativeIdOf: (root, path) => catalog.nativeIdOf(`${root}/${path}`),
    isRead: (root, { path, state }) => catalog.isRead(`${root}/${path}`, state),
    async read(source, root, found) {
      const reader = await open(source, root, found.path)
      try {
        const outcome = await reader.catchUp({ isHistory: true })
        const isQuiet = now() - found.changedAt > quietMs
        if (outcome === 'read' && (isQuiet || reader.session()?.isAnswered()))
          await reader.close({ isHistory: true })
        // A session that Sluice starts just now may turn out to be this one.
        if (outcome !== 'starting' && outcome !== 'off') await noteRead(reader, root, found)
        return outcome
      } finally {
        await reader.release()
      }
    },
  }
}
