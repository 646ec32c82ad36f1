import type { Log } from '../../log/log.ts'
import { frameOf } from './frame.ts'
import { createPage, type Page } from './page.ts'
import type { Piece } from './piece.ts'

/** What the log holds of one session, as pieces that readers at the same place share. */
export interface LogPages {
  /** What lies behind a cursor; undefined when there is nothing. */
  after(cursor: number): Promise<Piece | undefined>
  /** Lets go of what was read. */
  clear(): void
}

/** How many events are read at once. */
const rows = 512
/** How many pages are kept for readers that come by a little later. */
const keptPages = 32

export const createLogPages = (log: Pick<Log, 'readText'>, sessionId: string): LogPages => {
  let kept: Page[] = []
  const reading = new Map<number, Promise<Page[]>>()

  const read = async (cursor: number): Promise<Page[]> => {
    for await (const { first, texts } of log.readText(sessionId, cursor, rows)) {
      const pages = pagesOf(first, texts)
      kept = [...kept, ...pages].slice(-keptPages)
      return pages
    }
    return []
  }

  /** Readers at the same place share one reading. */
  const readOnce = (cursor: number): Promise<Page[]> => {
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

const find = (pages: readonly Page[], cursor: number): Piece | undefined =>
  pages.find((page) => page.first <= cursor + 1 && cursor < page.last())?.after(cursor)

const pagesOf = (first: number, texts: readonly string[]): Page[] => {
  const pages: Page[] = []
  let seq = first
  for (const text of texts) {
    const frame = frameOf(seq, text)
    if (!pages.at(-1)?.add(frame)) {
      const page = createPage(seq, frame)
      page.add(frame)
      pages.push(page)
    }
    seq += 1
  }
  return pages
}
