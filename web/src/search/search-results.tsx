import { useEffect, useState } from 'react'
import type { SearchResult } from '../../../src/api/index.ts'
import { sessionName } from '../../../src/client/index.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { Link } from '../parts/link.tsx'
import { Revealed } from '../parts/revealed.tsx'
import { sessionPath } from '../state/route.ts'
import { createSessionSearch } from './session-search.ts'

/** The results of a search in all sessions. */
export const SearchResults = ({ query }: { query: string }) => {
  const { client } = useApp()
  const [search] = useState(() => createSessionSearch(client))
  const { isSearching, result, error } = useStore(search)
  useEffect(() => search.start(query), [search, query])
  return (
    <section className="search-results" aria-label="Search results">
      <p role="status" className={error === undefined ? 'totals' : 'error-message'}>
        {isSearching
          ? 'Searching…'
          : error === undefined
            ? result && countLabel(result)
            : `Search failed: ${error}`}
      </p>
      <ul>
        {result?.hits.map((hit, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two hits may be alike.
          <li key={index}>
            <Link to={sessionPath(hit.sessionId, hit.messageId)}>
              <span className="session-name" dir="auto">
                <Revealed text={sessionName(hit)} />
              </span>
              <span className="excerpt" dir="auto">
                {hit.excerpt}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

const countLabel = ({ hits, truncated }: SearchResult): string => {
  const count = hits.length === 1 ? '1 result' : `${hits.length} results`
  return truncated ? `${count}; there may be more` : count
}
