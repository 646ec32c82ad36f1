import type { Log } from '../../log/log.ts'
import type { FileSource } from '../sources/file-source.ts'
import type { WatchedSession } from '../watched-session.ts'
import type { NotWatched, WatchedSessions } from '../watched-sessions.ts'
import { createFileReader } from './file-reader.ts'
import type { ForkUsage } from './fork-usage.ts'
import type { ReaderLocks } from './reader-locks.ts'

export interface SessionReaderOptions {
  log: Log
  watched: WatchedSessions
  source: FileSource
  /** The real path of the agent’s directory, and the path of the session’s file below it. */
  root: string
  path: string
  /** Counts the calls that copies of a conversation share once. */
  forks: ForkUsage
  /** Reads the session that this one says it is a copy of, so that what they share counts there. */
  readOriginal?(nativeId: string): Promise<void>
  /** Readers of the same session add to it one after the other. */
  locks: ReaderLocks
  /** Whether a person has switched off reading the sessions of an agent in a directory. */
  isOff?(session: { agent: string; cwd: string }): boolean
}

/** Why a session is not read. `off`: a person switched it off. */
export type NotRead = NotWatched | 'off'

/** What became of reading. `none`: the file has no session yet. `later`: see `ReadOptions`. */
export type ReadOutcome = 'read' | 'none' | 'gone' | 'later' | NotRead

export interface ReadOptions {
  /** Whether what is read happened before it was followed. */
  isPast: boolean
  /** Whether a copy may be left for later, when its original has been read. */
  canWait?: boolean
}

/** Reads the files of one session into its events. Calls must not overlap. */
export interface SessionReader {
  /** Stores what is new. */
  catchUp(options: ReadOptions): Promise<ReadOutcome>
  /** Closes what the files leave open: the agent is done, or gone. */
  close(options: ReadOptions): Promise<void>
  /** The session, once it is known. */
  session(): WatchedSession | undefined
  /** The agent’s own id of the session; undefined until it is read. */
  nativeId(): string | undefined
  release(): Promise<void>
}

export const createSessionReader = async (
  options: SessionReaderOptions,
): Promise<SessionReader> => {
  const { locks } = options
  const self = {}
  const reader = await createFileReader(options, {
    lock: (id) => locks.lock(id, self),
    forget: (id) => locks.forget(id, self),
  })

  /** While the work is done, no other reader adds to the session. */
  const whileLocked = async <Result>(
    work: (isStale: boolean) => Promise<Result>,
  ): Promise<Result> => {
    const known = reader.session()
    try {
      return await work(known ? (await locks.lock(known.id, self)).isStale : false)
    } finally {
      const { id } = reader.session() ?? {}
      if (id !== undefined) locks.unlock(id, self)
    }
  }

  return {
    ...reader,
    catchUp: (how) =>
      whileLocked(async (isStale) => {
        if (isStale) await reader.restart({ isRewritten: false })
        return reader.catchUp(how)
      }),
    close: (how) => whileLocked(async (isStale) => (isStale ? undefined : reader.close(how))),
  }
}
