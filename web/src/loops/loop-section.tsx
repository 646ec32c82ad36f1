import type { SessionInfo } from '../../../src/api/index.ts'
import type { LoopInfo } from '../../../src/events/index.ts'
import { SessionListItem } from '../overview/session-list-item.tsx'
import { formatCost, provenanceSign } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { Revealed } from '../parts/revealed.tsx'
import type { LoopGroup } from '../state/groups.ts'
import { loopPath } from '../state/route.ts'
import { LoopButtons } from './loop-buttons.tsx'
import { LoopMeters } from './loop-meters.tsx'
import { loopName } from './loop-name.ts'
import { LoopStateLabel } from './loop-state-label.tsx'
import '../style/loops.css'

interface Props {
  group: LoopGroup
  /** The session that is open beside the list. */
  currentId: string | undefined
}

/** How many iterations are listed: of a loop that goes on, and of one that is over. */
const shownOpen = 3
const shownDone = 1

/** A loop and its last iterations, in a list of sessions. */
export const LoopSection = ({ group, currentId }: Props) => {
  const { loop, loopId, sessions } = group
  const name = loop ? loopName(loop) : `Loop ${loopId.slice(0, 8)}`
  const isInSidebar = currentId !== undefined
  const limit = loop && loop.state !== 'done' ? shownOpen : shownDone
  const shown = sessions.filter(
    (session, at) => at < limit || session.id === currentId || needsOrWorks(session),
  )
  return (
    <section className="project loop" aria-label={`Loop: ${name}`}>
      <div className="loop-head">
        <h2 dir="auto">
          <Icon name="loop" />
          <Link to={loopPath(loopId)}>
            <Revealed text={name} isCollapsed />
          </Link>
        </h2>
        {loop && <LoopStateLabel loop={loop} />}
        {loop && !isInSidebar && <LoopCost loop={loop} />}
        {loop && !isInSidebar && <LoopButtons loop={loop} />}
      </div>
      {loop && !isInSidebar && loop.state !== 'done' && <LoopMeters loop={loop} />}
      <ul>
        {shown.map((session) => (
          <SessionListItem
            key={session.id}
            session={session}
            isCurrent={session.id === currentId}
            label={`Iteration ${session.iteration ?? '?'}`}
          />
        ))}
      </ul>
      {shown.length < sessions.length && (
        <p className="loop-more">
          <Link to={loopPath(loopId)}>
            All {loop?.iterationCount ?? sessions.length} iterations
            <span className="visually-hidden"> of {name}</span>
          </Link>
        </p>
      )}
    </section>
  )
}

/** Whether a person may look for a session, however old its iteration is. */
const needsOrWorks = ({ pendingApprovals = 0, state }: SessionInfo): boolean =>
  pendingApprovals > 0 || state === 'running'

const LoopCost = ({ loop: { usage } }: { loop: LoopInfo }) =>
  usage.costUsd !== null && (
    <span className="number loop-cost">
      {provenanceSign(usage.provenance.cost)}
      {formatCost(usage.costUsd)}
    </span>
  )
