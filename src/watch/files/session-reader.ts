import type { DecoderOptions } from '../../agents/agent.ts'
import type { Log } from '../../log/log.ts'
import { isNativeId } from '../native-key.ts'
import type { FileSource } from '../sources/file-source.ts'
import type { TimedEvents, WatchedSession } from '../watched-session.ts'
import type { NotWatched, WatchedSessions } from '../watched-sessions.ts'
import { type Cursor, earliest, openCursor } from './cursor.ts'
import { createDecodedLines, type DecodedLines, type HeldLine } from './decoded-lines.ts'
import type { ForkUsage } from './fork-usage.ts'
import { createNewsFilter, type NewsFilter } from './news-filter.ts'
import { filesOf } from './session-files.ts'
import { storedPositions } from './stored-positions.ts'
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
  /** Reads the session that this one says it is a copy of, so that what they share counts there. */
  readOriginal?(nativeId: string): Promise<void>
  /** Whether a person has switched off reading the sessions of an agent in a directory. */
  isOff?(session: { agent: string; cwd: string }): boolean
}

/** Why a session is not read. `off`: a person switched it off. */
type NotRead = NotWatched | 'off'

/** What became of reading. `none`: the file has no session yet. `later`: see `ReadOptions`. */
export type ReadOutcome = 'read' | 'none' | 'gone' | 'later' | NotRead

/** Whether what is read happened long ago. */
export interface ReadOptions {
  isHistory: boolean
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
  const { log, source, forks } = options
  const createDecoder = await loadDecoder(options)
  const freshLines = () => createDecodedLines(source, createDecoder)
  let lines = freshLines()
  let session: WatchedSession | undefined
  let filter: NewsFilter | undefined

  /** What was read does not count: the files are read again. */
  const restart = async (): Promise<void> => {
    lines = freshLines()
    if (!session) return
    filter = await createNewsFilter(log, session.id)
    lines.setStored({ offsets: new Map(), closings: new Set() })
  }

  const store = async ({ isHistory, canWait }: ReadOptions): Promise<'later' | undefined> => {
    const parts = session ? partsOf(lines.take(), filter) : []
    if (!session || parts.length === 0) return undefined
    const counted = await forks.withoutCopies(session, lines.beginning(), parts, { canWait })
    if (counted === 'later') return 'later'
    const news = counted.filter(({ isStored }) => !isStored)
    await session.append(news, { isHistory })
    return undefined
  }

  /** Stores what is held, in the session that the lines name. */
  const flush = async (how: ReadOptions): Promise<NotRead | 'later' | undefined> => {
    if (!session) {
      const opened = await openSession(options, lines)
      if (typeof opened === 'string') return opened
      session = opened
    }
    return store(how)
  }

  /** Reads what the cursors have. Those of subagents are added when it is known where their files are. */
  const readAll = async (
    cursors: Cursor[],
    how: ReadOptions,
  ): Promise<ReadOutcome | 'rewritten'> => {
    for (let cursor = earliest(cursors); cursor; cursor = earliest(cursors)) {
      for (const line of cursor.takeUntil(cursors)) {
        lines.add(cursor.track, line)
        if (lines.isDue()) break
      }
      if (lines.isDue()) {
        const isNew = session === undefined
        const refusal = await flush(how)
        const problem = refusal ?? (isNew && (await addCursors(options, lines, cursors)))
        if (problem) return problem
      }
      if (lines.isHopeless()) return 'none'
      await cursor.fill()
    }
    return (await flush(how)) ?? (session ? 'read' : 'none')
  }

  const catchUp = async (how: ReadOptions): Promise<ReadOutcome> => {
    if (isOff(options, lines)) return 'off'
    const outcome = await withCursors(options, lines, (cursors) => readAll(cursors, how))
    // After `elsewhere`, the next pass begins behind what that node has stored.
    if (outcome === 'rewritten' || outcome === 'elsewhere') await restart()
    return outcome === 'rewritten' ? catchUp(how) : outcome
  }

  return {
    catchUp,
    async close(how) {
      const closing = closingOf(lines)
      if (!session || closing.length === 0) return
      const counted = await forks.withoutCopies(session, lines.beginning(), closing)
      if (counted !== 'later') await session.append(counted, how)
    },
    session: () => session,
    nativeId: () => lines.native()?.nativeId,
    async release() {
      if (session) forks.release(session.id)
      await session?.release()
      session = undefined
    },
  }
}

/** Reads the files of the session that are there, and closes them. */
const withCursors = async (
  options: SessionReaderOptions,
  lines: DecodedLines,
  read: (cursors: Cursor[]) => Promise<ReadOutcome | 'rewritten'>,
): Promise<ReadOutcome | 'rewritten'> => {
  const cursors: Cursor[] = []
  try {
    return (await addCursors(options, lines, cursors)) ?? (await read(cursors))
  } finally {
    await closeAll(cursors)
  }
}

const loadDecoder = async ({ source, path }: SessionReaderOptions) => {
  const createDecoder = await source.loadDecoder()
  const nativeId = source.nativeIdAt?.(path)
  return (options?: DecoderOptions) =>
    createDecoder({ ...options, ...(nativeId !== undefined && { nativeId }) })
}

/** Lines as they are appended. The last of each file says how far the file is read. */
const partsOf = (lines: readonly HeldLine[], filter: NewsFilter | undefined) => {
  const last = new Map(lines.map((line) => [line.track, line]))
  return lines.map((line) => ({
    at: line.at,
    isStored: line.isStored,
    startsAtZero: line.startsAtZero,
    events: filter ? filter.news(line.events) : line.events,
    ...(last.get(line.track) === line && { readUpTo: positionOf(line.track) }),
  }))
}

const closeAll = async (cursors: readonly Cursor[]): Promise<void> => {
  for (const cursor of cursors) await cursor.close()
}

/** What closes what the session’s own file leaves open; nothing if it leaves nothing open. */
const closingOf = (lines: DecodedLines): TimedEvents[] => {
  const events = lines.close()
  const { offset } = lines.trackOf({ name: '', path: '' })
  const readUpTo = { offset, closed: true } as const
  return events.length === 0 ? [] : [{ at: lines.lastAt(), events, readUpTo }]
}

/** Opens those files of the session that are not open yet, each behind what is read of it. */
const addCursors = async (
  { source, root, path }: SessionReaderOptions,
  lines: DecodedLines,
  cursors: Cursor[],
): Promise<'rewritten' | 'gone' | undefined> => {
  const nativeId = lines.native()?.nativeId
  if (cursors.length > 0 && !source.partsOf) return undefined
  const open = new Set(cursors.map(({ track }) => track))
  for (const file of await filesOf(source, { root, path, nativeId })) {
    const track = lines.trackOf(file)
    if (open.has(track)) continue
    const cursor = await openCursor(file.path, { root, track, source })
    if (cursor === 'rewritten') return 'rewritten'
    if (cursor) cursors.push(cursor)
    else if (file.name === '') return 'gone'
  }
  return undefined
}

/**
 * The session that the lines are of; undefined if they do not say it yet. If it is a copy of another one,
 * that one is read before.
 */
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
  const session = await watched.open({
    ...{ agent: source.agent, nativeId, cwd: pathIn(cwd), file, startedAt },
  })
  if (typeof session === 'string') return session
  lines.setStored(await storedPositions(options.log, session.id))
  const original = lines.original()
  if (original !== undefined && isNativeId(original)) await options.readOriginal?.(original)
  return session
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

const positionOf = ({ name, offset }: Track) => ({
  ...(name !== '' && { file: name }),
  offset,
})
