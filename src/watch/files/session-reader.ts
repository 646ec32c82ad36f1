import type { Log } from '../../log/log.ts'
import { defined } from '../../shared/fields.ts'
import type { FileSource } from '../sources/file-source.ts'
import type { TimedEvents, WatchedSession } from '../watched-session.ts'
import type { NotWatched, WatchedSessions } from '../watched-sessions.ts'
import { type Cursor, earliest, openCursor } from './cursor.ts'
import { createDecodedLines, type DecodedLines, type HeldLine } from './decoded-lines.ts'
import type { ForkUsage } from './fork-usage.ts'
import { createNewsFilter, type NewsFilter } from './news-filter.ts'
import type { SessionClaims } from './session-claims.ts'
import { filesOf } from './session-files.ts'
import {
  haveStored,
  noPositions,
  type StoredPositions,
  storedPositions,
} from './stored-positions.ts'
import type { Track } from './tracks.ts'

export interface SessionReaderOptions {
  log: Log
  watched: WatchedSessions
  source: FileSource
  /** The real path of the agent’s directory, and the path of the session’s file below it. */
  root: string
  path: string
  /** Counts the calls that copies of a conversation share once. */
  forks: ForkUsage
  /** Readers of the same session add to it one after the other. */
  claims: SessionClaims
  /** Whether a person has switched off reading the sessions of an agent in a directory. */
  isOff?(session: { agent: string; cwd: string }): boolean
}

/** Why a session is not read. `off`: a person switched it off. */
type NotRead = NotWatched | 'off'

/** What became of reading. `none`: the file has no session yet. */
export type ReadOutcome = 'read' | 'none' | 'gone' | NotRead

/** Whether what is read happened long ago. */
export interface ReadOptions {
  isHistory: boolean
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
  const { claims } = options
  const self = {}
  const reader = await createFileReader(options, {
    claim: (id) => claims.claim(id, self),
    forget: (id) => claims.forget(id, self),
  })

  /** While the work is done, no other reader adds to the session. */
  const claimed = async <Result>(work: (isStale: boolean) => Promise<Result>): Promise<Result> => {
    const known = reader.session()
    try {
      return await work(known ? (await claims.claim(known.id, self)).isStale : false)
    } finally {
      const { id } = reader.session() ?? {}
      if (id !== undefined) claims.release(id, self)
    }
  }

  return {
    ...reader,
    catchUp: (how) =>
      claimed(async (isStale) => {
        if (isStale) await reader.restart({ isRewritten: false })
        return reader.catchUp(how)
      }),
    close: (how) => claimed(async (isStale) => (isStale ? undefined : reader.close(how))),
  }
}

interface FileReader extends SessionReader {
  /** Reads from the beginning of the files, without what is stored. */
  restart(options: { isRewritten: boolean }): Promise<void>
}

interface ReaderClaims {
  claim(sessionId: string): Promise<unknown>
  forget(sessionId: string): void
}

const createFileReader = async (
  options: SessionReaderOptions,
  { claim, forget }: ReaderClaims,
): Promise<FileReader> => {
  const { log, source, forks } = options
  const createDecoder = await source.loadDecoder()
  let lines = createDecodedLines(source, createDecoder)
  let session: WatchedSession | undefined
  let filter: NewsFilter | undefined
  let isRewritten = false

  const release = async (): Promise<void> => {
    const left = session
    session = undefined
    if (!left) return
    forks.release(left.id)
    forget(left.id)
    await left.release()
  }
  const restart: FileReader['restart'] = async (how) => {
    await release()
    isRewritten = how.isRewritten
    lines = createDecodedLines(source, createDecoder)
  }

  /** Stores what is held, in the session that the lines name. */
  const flush = async (how: ReadOptions): Promise<NotRead | undefined> => {
    if (!session) {
      const opened = await openSession(options, lines)
      if (typeof opened === 'string') return opened
      session = opened
      if (opened) await claim(opened.id)
      const stored = opened && !isRewritten ? await storedIn(options, opened.id, lines) : undefined
      filter = opened && !stored ? await createNewsFilter(log, opened.id) : undefined
      if (opened) lines.setStored(stored ?? noPositions())
    }
    if (!session) return undefined
    const parts = partsOf(lines.take(), filter)
    if (parts.length === 0) return undefined
    const counted = await forks.withoutCopies(session, lines.copyMarks(), parts)
    const news = counted.filter(({ isStored }) => !isStored)
    await session.append(news, how)
    return undefined
  }

  const readAll = async (
    cursors: readonly Cursor[],
    how: ReadOptions,
  ): Promise<ReadOutcome | 'opened'> => {
    for (let cursor = earliest(cursors); cursor; cursor = earliest(cursors)) {
      addDue(cursor, cursors, lines)
      if (lines.isDue()) {
        const isKnown = session !== undefined
        const refusal = await flush(how)
        if (refusal) return refusal
        // Only now it is known where the files of its subagents are.
        if (!isKnown && session && source.partsOf) return 'opened'
      }
      if (lines.isHopeless()) return 'none'
      await cursor.fill()
    }
    return (await flush(how)) ?? (session ? 'read' : 'none')
  }

  const catchUp = async (how: ReadOptions): Promise<ReadOutcome> => {
    const cursors = isOff(options, lines) ? 'off' : await openCursors(options, lines)
    if (cursors === 'gone' || cursors === 'off') return cursors
    if (cursors === 'rewritten') {
      await restart({ isRewritten: true })
      return catchUp(how)
    }
    const outcome = await closedAfter(cursors, readAll(cursors, how))
    return outcome === 'opened' ? catchUp(how) : outcome
  }

  return {
    ...{ catchUp, restart, release },
    close: async (how) => session?.append(closingOf(lines), how),
    session: () => session,
    nativeId: () => lines.native()?.nativeId,
  }
}

/** Decodes the next lines of a cursor, until enough of them are held. */
const addDue = (cursor: Cursor, others: readonly Cursor[], lines: DecodedLines): void => {
  for (const line of cursor.takeUntil(others)) {
    lines.add(cursor.track, line)
    if (lines.isDue()) return
  }
}

/** What is stored of the session. Undefined if its files were written anew since then. */
const storedIn = async (
  { log, source, root, path }: SessionReaderOptions,
  sessionId: string,
  lines: DecodedLines,
): Promise<StoredPositions | undefined> => {
  const stored = await storedPositions(log, sessionId)
  if (stored.tails.size === 0) return stored
  const { nativeId } = lines.native() ?? {}
  const files = await filesOf(source, { root, path, nativeId })
  return (await haveStored(files, root, stored)) ? stored : undefined
}

/** Lines as they are appended. The last of each file says how far the file is read. */
const partsOf = (lines: readonly HeldLine[], filter: NewsFilter | undefined) => {
  const last = new Map(lines.map((line) => [line.track, line]))
  return lines.map((line) => ({
    at: line.at,
    isStored: line.isStored,
    events: filter ? filter.news(line.events) : line.events,
    ...(last.get(line.track) === line && { readUpTo: positionOf(line.track) }),
  }))
}

const closeAll = async (cursors: readonly Cursor[]): Promise<void> => {
  for (const cursor of cursors) await cursor.close()
}

const closedAfter = async <Result>(
  cursors: readonly Cursor[],
  work: Promise<Result>,
): Promise<Result> => {
  try {
    return await work
  } finally {
    await closeAll(cursors)
  }
}

/** What closes what the session’s own file leaves open. */
const closingOf = (lines: DecodedLines): TimedEvents[] => {
  const events = lines.close()
  if (events.length === 0) return []
  const own = lines.trackOf({ name: '', path: '' })
  return [{ at: lines.lastAt(), events, readUpTo: { ...positionOf(own), closed: true } }]
}

/** Opens the files of the session, each behind what is read of it. */
const openCursors = async (
  { source, root, path }: SessionReaderOptions,
  lines: DecodedLines,
): Promise<Cursor[] | 'rewritten' | 'gone'> => {
  const nativeId = lines.native()?.nativeId
  const cursors: Cursor[] = []
  for (const file of await filesOf(source, { root, path, nativeId })) {
    const cursor = await openCursor(file.path, { root, track: lines.trackOf(file), source })
    if (cursor && cursor !== 'rewritten') {
      cursors.push(cursor)
      continue
    }
    if (!cursor && file.name !== '') continue
    await closeAll(cursors)
    return cursor ?? 'gone'
  }
  return cursors
}

/** The session that the lines are of; undefined if they do not say it yet. */
const openSession = async (
  options: SessionReaderOptions,
  lines: DecodedLines,
): Promise<WatchedSession | NotRead | undefined> => {
  const { nativeId, cwd } = lines.native() ?? {}
  if (nativeId === undefined) return undefined
  if (isOff(options, lines)) return 'off'
  const { watched, source, root, path } = options
  const file = `${root}/${path}`
  const startedAt = lines.startedAt()
  return watched.open({ agent: source.agent, nativeId, cwd: pathIn(cwd), file, startedAt })
}

/** Whether the session is switched off. It must be known, and what was read of it stored. */
const isOff = (options: SessionReaderOptions, lines: DecodedLines): boolean => {
  const { nativeId, cwd } = lines.native() ?? {}
  if (nativeId === undefined) return false
  return options.isOff?.({ agent: options.source.agent, cwd: pathIn(cwd) }) === true
}

/** No path of a system is longer. */
const maxPath = 4096
const pathIn = (cwd = '/'): string => (cwd.length > maxPath || cwd.includes('\0') ? '/' : cwd)

const positionOf = ({ name, offset, tail }: Track) => ({
  ...(name !== '' && { file: name }),
  offset,
  ...defined({ tail: tail() }),
})
