import { useDeferredValue, useState } from 'react'
import type { AuditEntry } from '../../../src/events/types.ts'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { actionNames, isAuditAction } from './action-names.ts'
import { AuditTable } from './audit-table.tsx'
import { useAudit } from './use-audit.ts'
import '../style/audit.css'

/** Who did what: every action of people and programs, newest first. */
export const AuditScreen = () => {
  const [actor, setActor] = useState('')
  const [action, setAction] = useState<AuditEntry['action']>()
  const wanted = useDeferredValue(actor.trim())
  const isFiltered = wanted !== '' || action !== undefined
  const { entries, next, error, isLoading, loadMore } = useAudit({
    ...(wanted !== '' && { actor: wanted }),
    ...(action !== undefined && { action }),
  })
  return (
    <div className="overview">
      <header className="top-bar">
        <Link to="/" className="quiet-button">
          <Icon name="back" />
          <span>All sessions</span>
        </Link>
        <h1>Audit</h1>
      </header>
      <main className="audit">
        <div className="audit-filter">
          <label>
            Who
            <input
              value={actor}
              maxLength={200}
              placeholder="Name of a browser or key"
              onChange={(event) => setActor(event.target.value)}
            />
          </label>
          <label>
            What
            <select
              value={action ?? ''}
              onChange={({ target: { value } }) =>
                setAction(isAuditAction(value) ? value : undefined)
              }
            >
              <option value="">Everything</option>
              {Object.entries(actionNames).map(([name, label]) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        </div>
        <ProblemMessage title="Cannot read the audit" reason={error} />
        {entries.length > 0 && <AuditTable entries={entries} />}
        {entries.length === 0 && !isLoading && error === undefined && (
          <p className="audit-empty">{isFiltered ? 'Nothing matches.' : 'Nothing was done yet.'}</p>
        )}
        {next !== undefined && (
          <button type="button" onClick={loadMore}>
            Show more
          </button>
        )}
      </main>
    </div>
  )
}
