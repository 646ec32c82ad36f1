import { ConnectionState } from '../app/connection-state.tsx'
import { useApp } from '../app/use-app.ts'
import { ApprovalCard } from '../approvals/approval-card.tsx'
import { useStore } from '../lib/use-store.ts'
import { Announce } from '../parts/announce.tsx'
import { Icon } from '../parts/icon.tsx'
import { SearchField } from '../search/search-field.tsx'
import { SearchResults } from '../search/search-results.tsx'
import { useSearchQuery } from '../search/use-search-query.ts'
import { NotifyButton } from './notify-button.tsx'
import { SessionsByProject } from './sessions-by-project.tsx'
import { OverviewTotalsLine } from './totals.tsx'
import '../style/overview.css'

/** All sessions; what needs a person comes first. */
export const OverviewScreen = () => {
  const { overview, creating } = useApp()
  const { isLoaded, sessions, approvals, totals } = useStore(overview)
  const [query, setQuery] = useSearchQuery()
  const needs = needsOf(approvals.length)
  return (
    <div className="overview">
      <header className="top-bar">
        <h1>Sluice</h1>
        <ConnectionState />
        <span className="spacer" />
        <NotifyButton />
        <button type="button" className="primary" onClick={() => creating.set('')}>
          <Icon name="plus" />
          New session
        </button>
      </header>
      <main>
        <Announce text={needs} />
        <section aria-label="Needs your input" className="needs">
          {needs !== '' && <h2 className="needs-head">{needs}</h2>}
          {approvals.map((approval) => (
            <ApprovalCard
              key={approval.approvalId}
              approval={approval}
              session={sessions.find(({ id }) => id === approval.sessionId)}
            />
          ))}
        </section>
        {totals && sessions.length > 0 && <OverviewTotalsLine totals={totals} />}
        {sessions.length > 0 && (
          <SearchField query={query} onChange={setQuery} label="Search all sessions" />
        )}
        {query.trim() !== '' && <SearchResults query={query.trim()} />}
        {isLoaded && sessions.length === 0 && <FirstSteps />}
        {query.trim() === '' && <SessionsByProject sessions={sessions} isWhole />}
      </main>
    </div>
  )
}

const needsOf = (count: number): string => {
  if (count === 0) return ''
  return count === 1 ? '1 request needs your input' : `${count} requests need your input`
}

const FirstSteps = () => {
  const { creating } = useApp()
  return (
    <section className="first-steps">
      <h2>No sessions yet</h2>
      <p>
        A session is a conversation with a coding agent in a project directory. To try Sluice, use
        the demo agent: it needs no API key and changes no files.
      </p>
      <button type="button" className="primary" onClick={() => creating.set('')}>
        Create a session
      </button>
    </section>
  )
}
