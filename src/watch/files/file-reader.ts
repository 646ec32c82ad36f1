import type { DecoderOptions } from '../../agents/agent.ts'
import { defined } from '../../shared/fields.ts'
import { isNativeId } from '../native-key.ts'
import type { TimedEvents, WatchedSession } from '../watched-session.ts'
import { type Cursor, earliest, openCursor } from './cursor.ts'
import { createDecodedLines, type DecodedLines, type HeldLine } from './decoded-lines.ts'
import type { CopyPart, ForkUsage } from './fork-usage.ts'
import { createNewsFilter, type NewsFilter } from './news-filter.ts'
import { filesOf } from './session-files.ts'
import type {
  NotRead,
  ReadOptions,
  ReadOutcome,
  SessionReader,
  SessionReaderOptions,
} from './session-reader.ts'
import {
  haveStored,
  noPositions,
  type StoredPositions,
  storedPositions,
} from './stored-positions.ts'
import type { Track } from './tracks.ts'

/** Reads the files of a session, while no other reader adds to it. */
export interface FileReader extends SessionReader {
  /** Reads from the beginning of the files, without what is stored. */
  restart(options: { isRewritten: boolean }): Promise<void>
}

/** The locks of one reader. */
interface OwnLocks {
  lock(sessionId: string): Promise<unknown>
  forget(sessionId: string): void
}

export const createFileReader = async (
  options: SessionReaderOptions,
  { lock, forget }: OwnLocks,
): Promise<FileReader> => {
  const { log, source, forks } = options
  const createDecoder = await loadDecoder(options)
  const freshLines = () => createDecodedLines(source, createDecoder)
  let lines = freshLines()
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
    lines = freshLines()
  }

  const open = async (): Promise<NotRead | undefined> => {
    const opened = await openSession(options, lines)
    if (opened === undefined || typeof opened === 'string') return opened
    session = opened
    await lock(opened.id)
    const stored = isRewritten ? undefined : await storedIn(options, opened.id, lines)
    filter = stored ? undefined : await createNewsFilter(log, opened.id)
    lines.setStored(stored ?? noPositions())
    return undefined
  }
  /** Stores what is held, in the session that the lines name. */
  const flush = async (how: ReadOptions): Promise<NotRead | 'later' | undefined> => {
    const refusal = session ? undefined : await open()
    if (refusal || !session) return refusal
    return append(forks, session, { lines, parts: partsOf(lines.take(), filter), ...how })
  }

  /** Reads what the cursors have. Those of subagents are added when it is known where their files are. */
  const readAll = async (
    cursors: Cursor[],
    how: ReadOptions,
  ): Promise<ReadOutcome | 'rewritten'> => {
    for (let cursor = earliest(cursors); cursor; cursor = earliest(cursors)) {
      addDue(cursor, cursors, lines)
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
    if (outcome === 'elsewhere') await restart({ isRewritten: false })
    if (outcome !== 'rewritten') return outcome
    await restart({ isRewritten: true })
    return catchUp(how)
  }

  return {
    ...{ catchUp, restart, release },
    async close({ isPast }) {
      if (session) await append(forks, session, { lines, parts: closingOf(lines), isPast })
    },
    session: () => session,
    nativeId: () => lines.native()?.nativeId,
  }
}

/** Adds what is new to the session, without the usage that another session counts. */
const append = async (
  forks: ForkUsage,
  session: WatchedSession,
  { lines, parts, isPast, canWait }: ReadOptions & { lines: DecodedLines; parts: NewPart[] },
): Promise<'later' | undefined> => {
  if (parts.length === 0) return undefined
  const counted = await forks.withoutCopies(session, lines.beginning(), parts, { canWait })
  if (counted === 'later') return 'later'
  const news = counted.filter(({ isStored }) => !isStored)
  await session.append(news, { isPast })
  return undefined
}

type NewPart = CopyPart & { isStored?: boolean }

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
    startsAtZero: line.startsAtZero,
    events: filter ? filter.news(line.events) : line.events,
    ...(last.get(line.track) === line && { readUpTo: positionOf(line.track) }),
  }))
}

const closeAll = async (cursors: readonly Cursor[]): Promise<void> => {
  for (const cursor of cursors) await cursor.close()
}

/** What closes what the session’s own file leaves open. */
const closingOf = (lines: DecodedLines): TimedEvents[] => {
  const events = lines.close()
  if (events.length === 0) return []
  const own = lines.trackOf({ name: '', path: '' })
  return [{ at: lines.lastAt(), events, readUpTo: { ...positionOf(own), closed: true } }]
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

const positionOf = ({ name, offset, tail }: Track) => ({
  ...(name !== '' && { file: name }),
  offset,
  ...defined({ tail: tail() }),
})
