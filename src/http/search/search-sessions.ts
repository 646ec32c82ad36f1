import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { SearchHit, SearchResult } from '../../api/types.ts'
import type { Log } from '../../log/log.ts'
import type { SessionRecord } from '../../log/types.ts'
import { hitsPerSession, searchSession } from './search-session.ts'

export interface SearchLimits {
  /** The most hits. */
  limit: number
  /** After this time, no further session is searched. Default: 3 seconds. */
  withinMs?: number
}

const pageSize = 50

/**
 * Searches all sessions, newest first, one after another, and lets other requests run in between.
 * When it stops at a limit, the result is marked as truncated.
 */
export const searchSessions = async (
  log: Log,
  query: string,
  { limit, withinMs = 3000 }: SearchLimits,
): Promise<SearchResult> => {
  const phrase = query.toLowerCase()
  const end = performance.now() + withinMs
  const hits: SearchHit[] = []
  let searched = 0
  let isTruncated = false
  for await (const record of newestFirst(log)) {
    if (hits.length > limit || performance.now() >= end) {
      isTruncated = true
      break
    }
    const found = await searchSession(log, record, phrase)
    hits.push(...found.slice(0, hitsPerSession))
    searched += 1
    isTruncated ||= found.length > hitsPerSession
    await yieldToOthers()
  }
  isTruncated ||= hits.length > limit
  return { hits: hits.slice(0, limit), searched, ...(isTruncated && { truncated: true }) }
}

async function* newestFirst(log: Log): AsyncGenerator<SessionRecord> {
  let before: SessionRecord | undefined
  for (;;) {
    const page = await log.sessions.list({ before, limit: pageSize })
    yield* page
    before = page.at(-1)
    if (page.length < pageSize) return
  }
}
