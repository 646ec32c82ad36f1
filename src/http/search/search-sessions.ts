import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { SearchHit, SearchResult } from '../../api/types.ts'
import type { LogReader, SessionRange } from '../../log/log.ts'
import type { SessionRecord } from '../../log/types.ts'
import { hitsPerSession, searchSession } from './search-session.ts'

export interface SearchTask {
  /** The text to find, as one phrase. */
  query: string
  /** The most hits. */
  limit: number
  /** Searches only these sessions. */
  within?: SessionRange | undefined
  /** After this time, the search ends with what it has found. Default: no limit. */
  withinMs?: number
}

const pageSize = 50

/**
 * Searches sessions, newest first, one after another, and lets other requests run in between. When it
 * stops at a limit, the result is marked as truncated.
 */
export const searchSessions = async (
  log: LogReader,
  { query, limit, within, withinMs = Number.POSITIVE_INFINITY }: SearchTask,
): Promise<SearchResult> => {
  const end = performance.now() + withinMs
  const checkTime = () => {
    if (performance.now() >= end) throw outOfTime
  }
  const search = { phrase: query.toLowerCase(), checkTime }
  const hits: SearchHit[] = []
  let searched = 0
  let isTruncated = false
  try {
    for await (const record of newestFirst(log, within)) {
      if (hits.length > limit) break
      checkTime()
      const found = await searchSession(log, record, search)
      hits.push(...found.slice(0, hitsPerSession))
      searched += 1
      isTruncated ||= found.length > hitsPerSession
      await yieldToOthers()
    }
  } catch (cause) {
    if (cause !== outOfTime) throw cause
    isTruncated = true
  }
  isTruncated ||= hits.length > limit
  return { hits: hits.slice(0, limit), searched, ...(isTruncated && { truncated: true }) }
}

/** Ends a search. It is caught here, whatever was being read. */
const outOfTime = new Error('The search has run out of time.')

async function* newestFirst(
  log: LogReader,
  within: SessionRange | undefined,
): AsyncGenerator<SessionRecord> {
  let before: SessionRecord | undefined
  for (;;) {
    const page = await log.sessions.list({ before, within, limit: pageSize })
    yield* page
    before = page.at(-1)
    if (page.length < pageSize) return
  }
}
