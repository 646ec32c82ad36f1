import { createOpenCodeDecoder } from '../../agents/opencode/decode.ts'
import type { Log } from '../../log/log.ts'
import type {
  OpenCodeSession,
  OpenCodeStore,
  StoreCursor,
  StoreLine,
} from '../../opencode-store/index.ts'
import { fieldsOf, stringOf } from '../../shared/fields.ts'
import type { CopyPart, ForkUsage } from '../files/fork-usage.ts'
import type { ReadOptions, ReadOutcome } from '../files/session-reader.ts'
import { storedPositions } from '../files/stored-positions.ts'
import type { WatchedSession } from '../watched-session.ts'
import type { NotWatched, WatchedSessions } from '../watched-sessions.ts'

interface ReaderOptions {
  log: Log
  watched: WatchedSessions
  store: OpenCodeStore
  /** Path of the database. */
  file: string
  forks: ForkUsage
}

/** Reads one session of OpenCode into its events. Calls must not overlap. */
export interface OpenCodeReader {
  /** Stores what is new. */
  catchUp(how: ReadOptions): Promise<ReadOutcome>
  /** Closes what the rows leave open: the agent is done, or gone. */
  close(how: ReadOptions): Promise<void>
  session(): WatchedSession
  release(): Promise<void>
}

/** Returns why the session is not watched, if it is not. */
export const openOpenCodeReader = async (
  { id: nativeId, directory, createdAt }: OpenCodeSession,
  options: ReaderOptions,
): Promise<OpenCodeReader | NotWatched> => {
  const { log, watched, store, file, forks } = options
  const native = { agent: 'opencode', nativeId, cwd: directory, file, startedAt: createdAt }
  const session = await watched.open(native)
  if (typeof session === 'string') return session
  const stored = await storedPositions(log, session.id)
  const storedUpTo = stored.offsets.get('') ?? 0
  const decoder = createOpenCodeDecoder()
  let cursor: StoreCursor | undefined
  /** How many lines are read. */
  let offset = 0
  let beginning: string | undefined
  let lastAt: number | undefined

  const decode = (line: StoreLine): CopyPart & { isStored: boolean } => {
    offset += 1
    lastAt = line.timestamp ?? lastAt
    beginning ??= firstMessageIn(line)
    const events = decoder.push(line)
    const isStored = offset <= storedUpTo
    // What was closed at this point is closed again, so that the decoder is where it was.
    if (stored.closings.has(offset)) decoder.end()
    return { at: line.timestamp, events, readUpTo: { offset }, isStored, startsAtZero: true }
  }

  return {
    async catchUp(how) {
      for (;;) {
        const page = store.read(nativeId, cursor)
        const parts = page.lines.map(decode).filter(({ events }) => events.length > 0)
        const counted = await forks.withoutCopies(session, beginning, parts)
        if (counted === 'later') return 'later'
        const news = counted.filter(({ isStored }) => !isStored)
        if (news.length > 0) await session.append(news, how)
        cursor = page.cursor
        if (!page.hasMore) return 'read'
      }
    },
    async close(how) {
      const events = decoder.end()
      if (events.length > 0)
        await session.append([{ at: lastAt, events, readUpTo: { offset, closed: true } }], how)
    },
    session: () => session,
    async release() {
      forks.release(session.id)
      await session.release()
    },
  }
}

/** What a conversation and its forks have in common: the id of the first message. */
const firstMessageIn = ({ type, copyOf, data }: StoreLine): string | undefined =>
  type.startsWith('message.updated')
    ? (copyOf ?? stringOf(fieldsOf(fieldsOf(data).info).id))
    : undefined
