import { type SearchQuery, searchResult } from '../../api/search.ts'
import type { Caller, CallOptions } from '../call.ts'

export interface SearchOptions extends CallOptions, Pick<SearchQuery, 'limit'> {}

/** `GET search` */
export const searchCall =
  (caller: Caller) =>
  (q: string, { limit, ...options }: SearchOptions = {}) =>
    caller.get(
      { path: 'search', query: { q, ...(limit !== undefined && { limit }) } },
      searchResult,
      options,
    )
