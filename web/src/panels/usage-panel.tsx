import { useEffect, useMemo, useState } from 'react'
import type { TurnUsage } from '../../../src/api/index.ts'
import type { Totals } from '../../../src/events/index.ts'
import { useApp } from '../app/use-app.ts'
import { SessionBudgetSection } from '../budgets/session-budget-section.tsx'
import { createResource } from '../lib/resource.ts'
import { useStore } from '../lib/use-store.ts'
import { formatCost, formatCount, formatDuration } from '../parts/format.ts'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { UnpricedNote } from '../parts/unpriced-note.tsx'
import { useSession } from '../session/session-scope.ts'
import { ContextParts } from './context-parts.tsx'
import { CostPlot } from './cost-plot.tsx'

interface Props {
  id: string
  /** The moment that a replay shows, in ms since 1970. Absent for the present. */
  before?: number
}

/** Tokens and cost: in total, per run and per model, and where the numbers come from. */
export const UsagePanel = ({ id, before }: Props) => {
  const { client, followed } = useApp()
  const { endedRuns } = useStore(followed.of(id))
  const transcript = useStore(useSession().transcript)
  const isPast = before !== undefined
  const [resource] = useState(() => createResource(() => client.sessions.usage(id)))
  const { value, error } = useStore(resource)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each run that ends adds to the usage.
  useEffect(() => resource.load(), [resource, endedRuns])
  // What the server reports is the present.
  const totals = transcript?.totals ?? (isPast ? undefined : value?.totals)
  const byModel = Object.entries(transcript?.byModel ?? value?.byModel ?? {})
  const priceList = value?.entries.findLast((entry) => entry.priceList !== undefined)?.priceList
  const turns = useMemo(() => value && endedBefore(value.turns, before), [value, before])
  return (
    <div className="panel-body">
      <ProblemMessage title="Could not load the usage" reason={error} />
      {totals ? <TotalsTable totals={totals} /> : <p className="panel-empty">No usage yet.</p>}
      <UnpricedNote models={totals?.unpriced} />
      {priceList !== undefined && (
        <p className="panel-note">The computed part of the cost uses the prices of {priceList}.</p>
      )}
      {!isPast && <SessionBudgetSection id={id} totals={totals} />}
      <ContextParts id={id} endedRuns={endedRuns} context={transcript?.context} isPast={isPast} />
      {turns && <CostPlot turns={turns} />}
      {byModel.map(([model, modelTotals]) => (
        <section key={model}>
          <h3>{model}</h3>
          <TotalsTable totals={modelTotals} />
        </section>
      ))}
    </div>
  )
}

/** The runs that had ended at a moment; all of them for the present. */
const endedBefore = (turns: readonly TurnUsage[], at: number | undefined): readonly TurnUsage[] =>
  at === undefined ? turns : turns.filter(({ endedAt }) => endedAt !== undefined && endedAt <= at)

const TotalsTable = ({ totals }: { totals: Totals }) => {
  const { input, output, cacheRead, cacheWrite, reasoning, costUsd, provenance } = totals
  const { webSearchRequests, webFetchRequests, durationMs } = totals
  return (
    <table className="totals-table">
      <tbody>
        <TokenRow label="Input" count={input} />
        <TokenRow label="Output" count={output} />
        {reasoning !== undefined && <TokenRow label="of which reasoning" count={reasoning} />}
        <TokenRow label="Cache read" count={cacheRead} />
        <TokenRow label="Cache write" count={cacheWrite} />
        {webSearchRequests !== undefined && (
          <TokenRow label="Web searches" count={webSearchRequests} />
        )}
        {webFetchRequests !== undefined && (
          <TokenRow label="Web pages fetched" count={webFetchRequests} />
        )}
        {durationMs !== undefined && (
          <tr>
            <th scope="row">Time at work</th>
            <td className="number">{formatDuration(durationMs)}</td>
          </tr>
        )}
        {costUsd === null && totals.unpriced !== undefined && (
          <tr className="totals-cost">
            <th scope="row">Cost</th>
            <td className="provenance">unpriced</td>
          </tr>
        )}
        {costUsd !== null && (
          <tr className="totals-cost">
            <th scope="row">
              Cost <span className="provenance">{provenance.cost}</span>
            </th>
            <td className="number">{formatCost(costUsd)}</td>
          </tr>
        )}
      </tbody>
    </table>
  )
}

const TokenRow = ({ label, count }: { label: string; count: number }) => (
  <tr>
    <th scope="row">{label}</th>
    <td className="number">{formatCount(count)}</td>
  </tr>
)
