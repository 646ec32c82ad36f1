import type { Activity, ComparedSession, SessionInfo } from '../../../src/api/index.ts'
import { useAgentTitle } from '../agents/use-agent-title.ts'
import { ActivityLabel } from '../parts/activity-label.tsx'
import { useNow } from '../parts/clock.ts'
import { formatDuration, knownCost } from '../parts/format.ts'
import { Link } from '../parts/link.tsx'
import { NumberCell } from '../parts/number-cell.tsx'
import { Revealed } from '../parts/revealed.tsx'
import { sessionPath } from '../state/route.ts'

/** One row for each agent: its state, cost, time and changed lines. */
export const ComparisonTable = ({ agents }: { agents: readonly ComparedSession[] }) => (
  <table className="loop-table compare-table">
    <thead>
      <tr>
        <th scope="col">Agent</th>
        <th scope="col">State</th>
        <th scope="col" className="loop-number">
          Cost
        </th>
        <th scope="col" className="loop-number">
          Time
        </th>
        <th scope="col" className="loop-number">
          Changes
        </th>
      </tr>
    </thead>
    <tbody>
      {agents.map((each) => (
        <AgentRow key={each.session.id} compared={each} />
      ))}
    </tbody>
  </table>
)

const AgentRow = ({ compared }: { compared: ComparedSession }) => {
  const { session, problem, files, additions, deletions } = compared
  const { usage } = session
  const workedMs = useWorkedMs(session)
  const titleOf = useAgentTitle()
  return (
    <tr>
      <th scope="row">
        <Link to={sessionPath(session.id)}>{titleOf(session)}</Link>
      </th>
      <td className="loop-outcome">
        <span className="loop-result">
          <StateLabel compared={compared} />
        </span>
        {problem !== undefined && (
          <span className="loop-note" dir="auto">
            <Revealed text={problem} isCollapsed />
          </span>
        )}
      </td>
      <NumberCell value={knownCost(usage)} />
      <NumberCell value={workedMs === undefined ? undefined : formatDuration(workedMs)} />
      <td className="number">
        {files.length === 0 ? 'no changes' : `+${additions} −${deletions}`}
        {files.length > 0 && (
          <span className="compare-files-count">
            {' '}
            in {files.length} {files.length === 1 ? 'file' : 'files'}
          </span>
        )}
      </td>
    </tr>
  )
}

/** How long an agent has worked; until its first run ends, since the comparison began. */
const useWorkedMs = ({ state, workedMs, createdAt }: SessionInfo): number | undefined => {
  const now = useNow(1000)
  return workedMs ?? (state === 'running' ? Math.max(0, now - createdAt) : undefined)
}

const StateLabel = ({ compared: { state, session } }: { compared: ComparedSession }) => {
  const { activity } = session
  if (session.state === 'running' && activity) return <ActivityLabel activity={activity} />
  if (state === 'failed') return <ActivityLabel activity={activity ?? failed} />
  return <>{state === 'not_started' ? 'Not started' : 'Done'}</>
}

const failed: Activity = { kind: 'failed' }
