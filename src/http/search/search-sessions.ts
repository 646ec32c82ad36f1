import { setImmediate as turn } from 'node:timers/promises'
import type { SearchHit, SearchResult } from '../../api/types.ts'
import type { Log } from '../../log/log.ts'
import type { SessionRecord } from '../../log/types.ts'
import { hitsPerSession, searchSession } from './search-session.ts'

export interface SearchOptions {
  /** How many places at most. */
  limit: number
  /** How long it may take; no session is begun later. */
  withinMs?: number
}

const pageSize = 50

/**
 * Looks through all sessions, newest first, one after the other; in between everybody else gets a
 * turn. It ends when it has found enough or time is up, and then says that there may be more.
 */
export const searchSessions = async (
  log: Log,
  words: string,
  { limit, withinMs = 3000 }: SearchOptions,
): Promise<SearchResult> => {
  const wanted = words.toLowerCase()
  const end = performance.now() + withinMs
  const hits: SearchHit[] = []
  let searched = 0
  let isCut = false
  for await (const record of newestFirst(log)) {
    if (hits.length > limit || performance.now() >= end) {
      isCut = true
      break
    }
    const found = await searchSession(log, record, wanted)
    hits.push(...found.slice(0, hitsPerSession))
    searched += 1
    isCut ||= found.length > hitsPerSession
    await turn()
  }
  isCut ||= hits.length > limit
  return { hits: hits.slice(0, limit), searched, ...(isCut && { truncated: true }) }
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
