import type { SearchResult } from '../../api/types.ts'
import type { Log } from '../../log/log.ts'
import { Problem } from '../../shared/problem.ts'
import { type SearchTask, searchSessions } from './search-sessions.ts'
import { createSearchThread } from './search-thread.ts'

/** Searches all sessions, one search after another. */
export interface Search {
  /**
   * Waits for its turn and runs. Callers take turns, so that one caller cannot hold up the others.
   * Throws a `Problem` 429 when too many searches wait.
   */
  run(request: SearchRequest): Promise<SearchResult>
  /** How many searches run or wait. */
  size(): number
  /** Ends the search that runs, and its thread. */
  close(): Promise<void>
}

export interface SearchRequest extends SearchTask {
  /** Who searches: a key, a browser or an address. */
  caller: string
  /** Aborts when the caller is gone: the search is not started any more. */
  signal?: AbortSignal
}

export interface SearchOptions {
  log: Log
  /** How many searches of one caller may run or wait. Default: 8. */
  perCaller?: number
  /** How many searches may run or wait in all. Default: 64. */
  total?: number
}

/** How long a search may take when no other waits, and when many do. */
const longestMs = 2000
const shortestMs = 250

interface WaitingSearch extends PromiseWithResolvers<SearchResult> {
  request: SearchRequest
}

export const createSearch = ({ log, perCaller = 8, total = 64 }: SearchOptions): Search => {
  // A log in memory is small, and no other thread can read it.
  const thread = log.file === undefined ? undefined : createSearchThread(log.file)
  const waiting: WaitingSearch[] = []
  let current: WaitingSearch | undefined

  const size = (): number => waiting.length + (current ? 1 : 0)
  const countOf = (caller: string): number =>
    [...waiting, ...(current ? [current] : [])].filter(({ request }) => request.caller === caller)
      .length

  /** The oldest search of another caller than the last one, or else the oldest. */
  const takeNext = (): WaitingSearch | undefined => {
    const last = current?.request.caller
    const other = waiting.findIndex(({ request }) => request.caller !== last)
    return waiting.splice(Math.max(0, other), 1)[0]
  }

  const runNext = async (): Promise<void> => {
    for (current = takeNext(); current; current = takeNext()) {
      const { request, resolve, reject } = current
      const { caller: _, signal, withinMs = longestMs, ...rest } = request
      // The more wait, the less time each gets, so that the last one need not wait for minutes.
      const query = {
        ...rest,
        withinMs: Math.max(Math.min(shortestMs, withinMs), withinMs / size()),
      }
      if (signal?.aborted) reject(gone())
      else await (thread ? thread.search(query) : searchSessions(log, query)).then(resolve, reject)
    }
  }

  return {
    run(request) {
      if (size() >= total || countOf(request.caller) >= perCaller) return Promise.reject(tooMany())
      const added = { request, ...Promise.withResolvers<SearchResult>() }
      waiting.push(added)
      if (!current) void runNext()
      return added.promise
    },
    size,
    async close() {
      for (const { reject } of waiting.splice(0)) reject(gone())
      await thread?.close()
    },
  }
}

const retrySeconds = 2

const tooMany = (): Problem =>
  new Problem(
    429,
    'rate_limited',
    `Too many searches are waiting. Retry in ${retrySeconds} seconds.`,
    { retryAfter: retrySeconds },
    { 'Retry-After': String(retrySeconds) },
  )

const gone = (): Problem =>
  new Problem(400, 'bad_request', 'The connection closed before the search started.')
