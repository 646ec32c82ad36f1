import type { LoopIteration } from '../../../src/events/index.ts'
import { formatDuration, knownCost } from '../parts/format.ts'
import { Link } from '../parts/link.tsx'
import { NumberCell } from '../parts/number-cell.tsx'
import { Elapsed } from '../parts/relative-time.tsx'
import { Revealed } from '../parts/revealed.tsx'
import { sessionPath } from '../state/route.ts'

/** The iterations of a loop, the last one first. */
export const IterationTable = ({ iterations }: { iterations: readonly LoopIteration[] }) => (
  <table className="loop-table">
    <thead>
      <tr>
        <th scope="col">Iteration</th>
        <th scope="col">Result</th>
        <th scope="col" className="loop-number">
          Model calls
        </th>
        <th scope="col" className="loop-number">
          Context
        </th>
        <th scope="col" className="loop-number">
          Time
        </th>
        <th scope="col" className="loop-number">
          Cost
        </th>
      </tr>
    </thead>
    <tbody>
      {iterations.toReversed().map((iteration) => (
        <IterationRow key={iteration.iteration} iteration={iteration} />
      ))}
    </tbody>
  </table>
)

const IterationRow = ({ iteration: row }: { iteration: LoopIteration }) => {
  const { iteration, sessionId, startedAt, durationMs, turns, usage, context, outcome } = row
  return (
    <tr>
      <th scope="row">
        <Link to={sessionPath(sessionId)}>Iteration {iteration}</Link>
      </th>
      <td className="loop-outcome">
        <span className={`loop-result ${outcome && failures.has(outcome) ? 'loop-failed' : ''}`}>
          {outcome === undefined ? 'Running' : outcomes[outcome]}
        </span>
        {row.message !== undefined && (
          <span className="loop-note" dir="auto">
            <Revealed text={row.message} isCollapsed />
          </span>
        )}
      </td>
      <NumberCell value={turns} unit={turns === 1 ? 'call' : 'calls'} />
      <NumberCell value={percentOf(context)} unit="context" />
      <NumberCell
        value={
          durationMs === undefined ? <Elapsed since={startedAt} /> : formatDuration(durationMs)
        }
      />
      <NumberCell value={knownCost(usage)} />
    </tr>
  )
}

const percentOf = (context: LoopIteration['context']): string | undefined =>
  typeof context?.percent === 'number' ? `${Math.round(context.percent)}%` : undefined

const outcomes = {
  completed: 'Not complete yet',
  promise: 'Complete',
  failed: 'Failed',
  idle_timeout: 'Failed: the agent was silent',
  rate_limited: 'Rate limit reached',
  limit: 'A limit was met',
  aborted: 'Stopped',
  interrupted: 'Interrupted',
} as const satisfies Record<NonNullable<LoopIteration['outcome']>, string>

const failures: ReadonlySet<string> = new Set(['failed', 'idle_timeout'])
