import type { Log } from '../../log/log.ts'
import { frameOf } from './frame.ts'
import { type Chunk, contextBytes, nextPageNumber, pageBytes } from './ring.ts'

/**
 * Frames of one session that the ring no longer has, read from the log. Readers with the same
 * cursor share what was read. Used by the fan-out for readers that are behind.
 */
export interface LogPages {
  /** Frames after a cursor; undefined when the log has none. */
  after(cursor: number): Promise<Chunk | undefined>
  /** Drops the pages in memory. */
  clear(): void
}

/** How many pages stay in memory for readers that follow a little later. */
const cachedPages = 32

export const createLogPages = (log: Pick<Log, 'readText'>, sessionId: string): LogPages => {
  let cached: LogPage[] = []
  const reading = new Map<number, Promise<LogPage[]>>()

  const read = async (cursor: number): Promise<LogPage[]> => {
    for await (const { first, texts } of log.readText(sessionId, cursor)) {
      const pages = pagesOf(first, texts)
      cached = [...cached.slice(-cachedPages), ...pages]
      return pages
    }
    return []
  }

  /** Readers with the same cursor share one read. */
  const readOnce = (cursor: number): Promise<LogPage[]> => {
    const pending = reading.get(cursor)
    if (pending !== undefined) return pending
    const begun = read(cursor).finally(() => reading.delete(cursor))
    reading.set(cursor, begun)
    return begun
  }

  return {
    async after(cursor) {
      return chunkIn(cached, cursor) ?? chunkIn(await readOnce(cursor), cursor)
    },
    clear() {
      cached = []
    },
  }
}

const chunkIn = (pages: readonly LogPage[], cursor: number): Chunk | undefined =>
  pages.find((page) => page.first <= cursor + 1 && cursor < page.last)?.after(cursor)

/** Events as pages of about the usual size. */
const pagesOf = (first: number, texts: readonly string[]): LogPage[] => {
  const pages: LogPage[] = []
  let pageFirst = first
  let seq = first
  let frames = ''
  for (const text of texts) {
    if (frames !== '' && frames.length + text.length > pageBytes) {
      pages.push(createLogPage(pageFirst, seq - 1, frames))
      pageFirst = seq
      frames = ''
    }
    frames += frameOf(seq, text)
    seq += 1
  }
  return [...pages, createLogPage(pageFirst, seq - 1, frames)]
}

/** Consecutive frames from the log. */
interface LogPage {
  readonly first: number
  readonly last: number
  /** All frames after a cursor. Callers with the same cursor get the same chunk. */
  after(cursor: number): Chunk
}

/** Does not index its frames: most pages are sent as a whole. */
const createLogPage = (first: number, last: number, frames: string): LogPage => {
  const bytes = Buffer.from(frames)
  const page = nextPageNumber()
  let chunk: Chunk | undefined

  /** Where the frame after a cursor begins. JSON has no line feeds: an empty line ends a frame. */
  const startAfter = (cursor: number): number => {
    let start = 0
    for (let seq = first; seq <= cursor; seq += 1) start = bytes.indexOf('\n\n', start) + 2
    return start
  }

  return {
    first,
    last,
    after(cursor) {
      if (chunk?.first === cursor + 1) return chunk
      const start = startAfter(cursor)
      chunk = {
        first: cursor + 1,
        last,
        page,
        bytes: bytes.subarray(start),
        context: bytes.subarray(Math.max(0, start - contextBytes), start),
        endPosition: undefined,
      }
      return chunk
    },
  }
}
