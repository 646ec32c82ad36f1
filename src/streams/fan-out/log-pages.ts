import type { Log } from '../../log/log.ts'
import type { Chunk } from './chunk.ts'
import { frameOf } from './frame.ts'
import { createLogPage, type LogPage } from './log-page.ts'
import { pageBytes } from './page.ts'

/** What the log holds of one session, as pieces that readers at the same place share. */
export interface LogPages {
  /** What lies behind a cursor; undefined when there is nothing. */
  after(cursor: number): Promise<Chunk | undefined>
  /** Lets go of what was read. */
  clear(): void
}

/** How many pages are kept for readers that come by a little later. */
const keptPages = 32

export const createLogPages = (log: Pick<Log, 'readText'>, sessionId: string): LogPages => {
  let kept: LogPage[] = []
  const reading = new Map<number, Promise<LogPage[]>>()

  const read = async (cursor: number): Promise<LogPage[]> => {
    for await (const { first, texts } of log.readText(sessionId, cursor)) {
      const pages = pagesOf(first, texts)
      kept = [...kept.slice(-keptPages), ...pages]
      return pages
    }
    return []
  }

  /** Readers at the same place share one reading. */
  const readOnce = (cursor: number): Promise<LogPage[]> => {
    const known = reading.get(cursor)
    if (known !== undefined) return known
    const begun = read(cursor).finally(() => reading.delete(cursor))
    reading.set(cursor, begun)
    return begun
  }

  return {
    async after(cursor) {
      return find(kept, cursor) ?? find(await readOnce(cursor), cursor)
    },
    clear() {
      kept = []
    },
  }
}

const find = (pages: readonly LogPage[], cursor: number): Chunk | undefined =>
  pages.find((page) => page.first <= cursor + 1 && cursor < page.last)?.after(cursor)

/** Texts as pages of about the usual size. */
const pagesOf = (first: number, texts: readonly string[]): LogPage[] => {
  const pages: LogPage[] = []
  let begun = first
  let seq = first
  let frames = ''
  for (const text of texts) {
    if (frames !== '' && frames.length + text.length > pageBytes) {
      pages.push(createLogPage(begun, seq - 1, frames))
      begun = seq
      frames = ''
    }
    frames += frameOf(seq, text)
    seq += 1
  }
  return [...pages, createLogPage(begun, seq - 1, frames)]
}
