import type { OverviewTotals, SessionInfo } from '../../../src/api/index.ts'
import { ConnectionState } from '../app/connection-state.tsx'
import { TroubleBanner } from '../app/trouble-banner.tsx'
import { useApp } from '../app/use-app.ts'
import { useMay } from '../app/use-may.ts'
import { GuardedApprovalCard } from '../approvals/guarded-approval-card.tsx'
import { useStore } from '../lib/use-store.ts'
import { Announce } from '../parts/announce.tsx'
import { formatCost, provenanceSign } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { SearchField } from '../search/search-field.tsx'
import { SearchResults } from '../search/search-results.tsx'
import { useSearchQuery } from '../search/use-search-query.ts'
import { NotifyButton } from './notify-button.tsx'
import { SessionLists } from './session-lists.tsx'
import '../style/overview.css'

/** All sessions. Pending approvals come first. */
export const OverviewScreen = () => {
  const { overview, creating } = useApp()
  const { isLoaded, sessions, approvals, loops, totals } = useStore(overview)
  const isEmpty = sessions.length === 0 && loops.length === 0
  const [query, setQuery] = useSearchQuery()
  const pending = pendingMessage(approvals.length)
  return (
    <div className="overview">
      <header className="top-bar">
        <h1>Sluice</h1>
        <ConnectionState />
        <span className="spacer" />
        <NotifyButton />
        <Link to="/access" className="quiet-button">
          <Icon name="key" />
          <span className="wide-only">Browsers and keys</span>
        </Link>
        <button type="button" className="primary" onClick={() => creating.set('')}>
          <Icon name="plus" />
          New session
        </button>
      </header>
      <main>
        <TroubleBanner />
        <Announce text={pending} />
        <section aria-label="Needs your input" className="needs">
          {pending !== '' && <h2 className="needs-head">{pending}</h2>}
          {approvals.map((approval) => (
            <GuardedApprovalCard
              key={approval.approvalId}
              approval={approval}
              session={sessions.find(({ id }) => id === approval.sessionId)}
            />
          ))}
        </section>
        <div className="overview-line">
          {totals && sessions.length > 0 && (
            <TotalsLine totals={totals} waiting={waitingIn(sessions)} />
          )}
          <OverviewLinks />
        </div>
        {sessions.length > 0 && (
          <SearchField query={query} onChange={setQuery} label="Search all sessions" />
        )}
        {query.trim() !== '' && <SearchResults query={query.trim()} />}
        {isLoaded && isEmpty && <FirstSteps />}
        {query.trim() === '' && <SessionLists sessions={sessions} hasEmptyProjects />}
      </main>
    </div>
  )
}

const pendingMessage = (count: number): string => {
  if (count === 0) return ''
  return count === 1 ? '1 request needs your input' : `${count} requests need your input`
}

/** How many agents wait for a person in their own terminals. */
const waitingIn = (sessions: readonly SessionInfo[]): number =>
  sessions.filter(({ watched }) => watched?.presence?.state === 'waiting').length

interface TotalsProps {
  totals: OverviewTotals
  waiting: number
}

const TotalsLine = ({ totals, waiting }: TotalsProps) => {
  const { sessions, running, approvals, usage, deletedUsage } = totals
  return (
    <p className="totals">
      {approvals === 0 && waiting === 0 && <span>Nothing needs your input.</span>}
      {waiting > 0 && (
        <span>
          {waiting === 1
            ? '1 session waits in its terminal.'
            : `${waiting} sessions wait in their terminals.`}
        </span>
      )}
      <span>
        {sessions} {sessions === 1 ? 'session' : 'sessions'}, {running} running
      </span>
      {usage.costUsd !== null && (
        <span className="number">
          {provenanceSign(usage.provenance.cost)}
          {formatCost(usage.costUsd)}
        </span>
      )}
      {deletedUsage && deletedUsage.costUsd !== null && (
        <span className="number" title="What deleted sessions have cost">
          {provenanceSign(deletedUsage.provenance.cost)}
          {formatCost(deletedUsage.costUsd)} deleted
        </span>
      )}
    </p>
  )
}

const OverviewLinks = () => {
  const { isStartingLoop } = useApp()
  const mayPrompt = useMay('prompt')
  return (
    <nav className="overview-links" aria-label="More">
      <Link to="/cost" className="quiet-button">
        <Icon name="chart" />
        Cost
      </Link>
      {mayPrompt && (
        <button type="button" className="quiet-button" onClick={() => isStartingLoop.set(true)}>
          <Icon name="loop" />
          New loop
        </button>
      )}
    </nav>
  )
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
