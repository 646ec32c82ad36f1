import { useDeferredValue, useEffect, useState } from 'react'
import type { Session } from '../../../src/api/index.ts'
import { useApp } from '../app/context.ts'
import { nameOf } from '../app/needs.ts'
import { Link } from '../parts/link.tsx'
import { useStore } from '../store/use-store.ts'
import { sessionPath } from '../stores/route.ts'
import { searchSessions } from './search-sessions.ts'

interface Props {
  query: string
  sessions: readonly Session[]
}

/** What was found in all sessions; grows while they are searched. */
export const SearchResults = ({ query, sessions }: Props) => {
  const { client } = useApp()
  const wanted = useDeferredValue(query)
  const [search] = useState(() => searchSessions(client))
  const { hits, searched, total } = useStore(search)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a session that grows does not begin the search anew.
  useEffect(() => search.begin(wanted, sessions), [search, wanted])
  return (
    <section className="search-results" aria-label="Found">
      <p role="status" className="totals">
        {searched < total ? `Searching ${searched} of ${total}` : `${hits.length} found`}
      </p>
      <ul>
        {hits.map(({ session, messageId, excerpt }) => (
          <li key={`${session.id} ${messageId ?? ''}`}>
            <Link to={sessionPath(session.id, messageId)}>
              <span className="session-name">{nameOf(session)}</span>
              <span className="excerpt">{excerpt}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
