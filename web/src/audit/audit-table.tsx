import { sessionName } from '../../../src/api/session-name.ts'
import type { AuditEntry } from '../../../src/events/types.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { Link } from '../parts/link.tsx'
import { sessionPath } from '../state/route.ts'
import { actionNames } from './action-names.ts'

/** Entries of the audit. On a narrow screen, each becomes a block. */
export const AuditTable = ({ entries }: { entries: readonly AuditEntry[] }) => (
  <table className="audit-table">
    <thead>
      <tr>
        <th scope="col">When</th>
        <th scope="col">Who</th>
        <th scope="col">What</th>
      </tr>
    </thead>
    <tbody>
      {entries.map((entry) => (
        <AuditRow key={entry.id} entry={entry} />
      ))}
    </tbody>
  </table>
)

const AuditRow = ({ entry }: { entry: AuditEntry }) => {
  const { at, action, by, actorKind, address, node, sessionId, detail } = entry
  const isFailure = action === 'sign_in_failed'
  return (
    <tr>
      <td className="audit-when">
        <time dateTime={new Date(at).toISOString()}>{new Date(at).toLocaleString()}</time>
      </td>
      <td className="audit-who">
        <bdi>{by}</bdi>
        <span className="audit-from">
          {kinds[actorKind]}
          {address !== undefined && `, ${address}`}
          {node !== undefined && `, on ${node}`}
        </span>
      </td>
      <td className="audit-what">
        <span className={isFailure ? 'audit-failure' : undefined}>{actionNames[action]}</span>
        {sessionId !== undefined && <SessionLink id={sessionId} />}
        {detail !== undefined && (
          <span className="audit-detail" dir="auto">
            {detail}
          </span>
        )}
      </td>
    </tr>
  )
}

const kinds: Record<AuditEntry['actorKind'], string> = {
  key: 'API key',
  browser: 'browser',
  local: 'this machine',
  nobody: 'not signed in',
}

/** A link to a session that still exists. */
const SessionLink = ({ id }: { id: string }) => {
  const { sessions } = useStore(useApp().overview)
  const session = sessions.find((each) => each.id === id)
  if (!session) return <span className="audit-session">session {id.slice(0, 8)}</span>
  return (
    <Link to={sessionPath(id)} className="audit-session">
      <bdi>{sessionName(session)}</bdi>
    </Link>
  )
}
