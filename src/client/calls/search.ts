import { searchResult } from '../../api/search.ts'
import type { SearchQuery } from '../../api/types.ts'
import type { Caller, CallOptions } from '../caller.ts'

export interface SearchCallOptions extends CallOptions, Pick<SearchQuery, 'limit'> {}

/** `GET search` */
export const searchCall =
  (caller: Caller) =>
  (q: string, { limit, ...options }: SearchCallOptions = {}) =>
    caller.get(
      { path: 'search', query: { q, ...(limit !== undefined && { limit }) } },
      searchResult,
      options,
    )
