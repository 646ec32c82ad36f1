import type { SessionInfo } from '../../../src/api/index.ts'
import { sessionName } from '../../../src/client/index.ts'
import { useAgentTitle } from '../agents/use-agent-title.ts'
import { knownCost } from '../parts/format.ts'
import { Gauge } from '../parts/gauge.tsx'
import { Link } from '../parts/link.tsx'
import { Ago } from '../parts/relative-time.tsx'
import { Revealed } from '../parts/revealed.tsx'
import { SessionActivity } from '../session/session-activity.tsx'
import { sessionPath } from '../state/route.ts'

interface Props {
  session: SessionInfo
  isCurrent: boolean
  /** Shown where sessions of several projects are listed together. */
  projectName?: string | undefined
  /** Shown instead of the session’s own name. */
  label?: string
}

/** One session in a line: its activity, queue, context, cost and last change. */
export const SessionListItem = ({ session, isCurrent, projectName, label }: Props) => {
  const {
    id,
    model,
    usage,
    context,
    lastActivity,
    pinned,
    imported,
    watched,
    budgets,
    queuedMessages = 0,
  } = session
  const titleOf = useAgentTitle()
  return (
    <li className="session-row">
      <Link to={sessionPath(id)} isCurrent={isCurrent}>
        <span className="session-name" dir="auto">
          {session.comparisonId !== undefined && (
            <span className="session-compared">{titleOf(session)}: </span>
          )}
          <Revealed text={label ?? sessionName(session)} />
        </span>
        <span className="session-agent">
          {pinned && 'Pinned · '}
          {imported && 'Imported · '}
          {watched && 'Watched · '}
          {projectName !== undefined && `${projectName} · `}
          {titleOf(session)}
          {model !== undefined && model !== 'unknown' && ` · ${model}`}
        </span>
        <SessionActivity session={session} />
        <span className="session-queue number">
          {queuedMessages > 0 && `${queuedMessages} queued`}
        </span>
        <span className="session-gauge">
          <Gauge context={context} />
        </span>
        <span className={budgets ? 'session-cost session-cost-high number' : 'session-cost number'}>
          {knownCost(usage)}
        </span>
        <span className="session-time number">
          <Ago at={lastActivity} />
        </span>
      </Link>
    </li>
  )
}
