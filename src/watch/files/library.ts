import type { Log } from '../../log/log.ts'
import type { FileSource } from '../sources/file-source.ts'
import type { WatchSwitches } from '../watch-switches.ts'
import type { WatchedSessions } from '../watched-sessions.ts'
import { loadCatalog } from './catalog.ts'
import { createExclusive } from './exclusive.ts'
import { type FoundSession, findSessionFiles } from './find-files.ts'
import { createForkUsage } from './fork-usage.ts'
import { createReaderLocks } from './reader-locks.ts'
import { createSessionReader, type ReadOutcome, type SessionReader } from './session-reader.ts'

/** All session files, and which of them are read. */
export interface FileLibrary {
  /** Whether the files of a session are read as they are now. */
  isRead(root: string, found: FoundSession): boolean
  /**
   * Reads the files of a session once, to the end. `readOriginal` reads the session that it is a copy
   * of; without it, only one in the same folder is read. `canWait`: see `ReadOptions`.
   */
  read(
    source: FileSource,
    root: string,
    found: FoundSession,
    options?: { readOriginal?: ReadOriginal; canWait?: boolean },
  ): Promise<ReadOutcome>
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

/** Reads a session by the agent’s own id of it, if it can be found and was not read. */
export type ReadOriginal = (nativeId: string) => Promise<void>

export interface LibraryOptions {
  log: Log
  watched: WatchedSessions
  /** Default: everything is read. */
  switches?: Pick<WatchSwitches, 'isOff'>
  now?(): number
}

/** What is read again another time. */
const isUnread: ReadonlySet<ReadOutcome> = new Set(['starting', 'off', 'later', 'elsewhere'])

/** A copy of a copy of a copy: the originals behind these are read when somebody finds them. */
const maxOriginals = 20

/** An agent that has written nothing for so long is done with its run. */
export const quietMs = 10 * 60 * 1000

export const openFileLibrary = async (deps: LibraryOptions): Promise<FileLibrary> => {
  const { log, watched, switches, now = Date.now } = deps
  const forks = createForkUsage(log)
  const locks = createReaderLocks()
  const catalog = await loadCatalog(log, forks)
  /** Where the sessions of files work that were switched off when they were looked at. */
  const offDirectories = new Map<string, string>()

  const setRead: FileLibrary['setRead'] = (reader, root, { path, state }) =>
    catalog.setRead(`${root}/${path}`, state, reader.nativeId())
  const noteRead: FileLibrary['noteRead'] = async (reader, root, found) => {
    setRead(reader, root, found)
    await reader.session()?.update({ file: `${root}/${found.path}`, read: found.state })
  }
  const readers = createExclusive()

  const openReader = async (
    source: FileSource,
    root: string,
    path: string,
    readOriginal: ReadOriginal,
  ): Promise<SessionReader> => {
    const file = `${root}/${path}`
    const isOff = (session: { agent: string; cwd: string }): boolean => {
      const isSwitchedOff = switches?.isOff(session) ?? false
      if (isSwitchedOff) offDirectories.set(file, session.cwd)
      return isSwitchedOff
    }
    const leave = await readers.take(file)
    try {
      const reader = await createSessionReader({
        ...{ log, watched, source, root, path, forks, locks, readOriginal, isOff },
      })
      return { ...reader, release: () => reader.release().finally(leave) }
    } catch (cause) {
      leave()
      throw cause
    }
  }

  /**
   * Reads the original of a copy that is live. One that is stored, or is being read, is left alone. Each
   * waits for its own original with open files, so only so many do.
   */
  const readBeside =
    (source: FileSource, root: string, path: string, depth = 0): ReadOriginal =>
    async (nativeId) => {
      const other = source.pathBeside?.(path, nativeId)
      if (other === undefined || depth >= maxOriginals) return
      if (await log.sessions.get(watched.idOf({ agent: source.agent, nativeId }))) return
      const found = await findSessionFiles(source, root, other, nativeId)
      const readOriginal = readBeside(source, root, other, depth + 1)
      if (found) await readOnce(source, root, found, { readOriginal })
    }

  const readOnce: FileLibrary['read'] = async (source, root, found, options = {}) => {
    // It is live: whoever follows it reads it.
    if (readers.has(`${root}/${found.path}`)) return 'starting'
    const { readOriginal = readBeside(source, root, found.path), canWait = false } = options
    const reader = await openReader(source, root, found.path, readOriginal)
    try {
      const outcome = await reader.catchUp({ isPast: true, canWait })
      const isQuiet = now() - found.changedAt > quietMs
      if (outcome === 'read' && (isQuiet || reader.session()?.isAnswered()))
        await reader.close({ isPast: true })
      // A session that Sluice starts just now may turn out to be this one.
      if (!isUnread.has(outcome)) await noteRead(reader, root, found)
      return outcome
    } finally {
      await reader.release()
    }
  }

  return {
    open: (source, root, path) => openReader(source, root, path, readBeside(source, root, path)),
    ...{ setRead, noteRead },
    isOff: ({ agent }, root, path) =>
      switches?.isOff({ agent, cwd: offDirectories.get(`${root}/${path}`) }) ?? false,
    nativeIdOf: (root, path) => catalog.nativeIdOf(`${root}/${path}`),
    isRead: (root, { path, state }) => catalog.isRead(`${root}/${path}`, state),
    read: readOnce,
  }
}
