import { useEffect, useState } from 'react'
import type { Totals } from '../../../src/events/index.ts'
import { useApp } from '../app/use-app.ts'
import { createResource } from '../lib/resource.ts'
import { useStore } from '../lib/use-store.ts'
import { formatCost, formatCount } from '../parts/format.ts'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { ContextParts } from './context-parts.tsx'
import { CostPlot } from './cost-plot.tsx'

/** Tokens and cost: in total, per run and per model, and where the numbers come from. */
export const UsagePanel = ({ id }: { id: string }) => {
  const { client, followed } = useApp()
  const { endedRuns, transcript } = useStore(followed.of(id))
  const [resource] = useState(() => createResource(() => client.sessions.usage(id)))
  const { value, error } = useStore(resource)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each run that ends adds to the usage.
  useEffect(() => resource.load(), [resource, endedRuns])
  const totals = transcript?.totals ?? value?.totals
  const byModel = Object.entries(transcript?.byModel ?? value?.byModel ?? {})
  return (
    <div className="panel-body">
      <ProblemMessage title="Could not load the usage" reason={error} />
      {totals ? <TotalsTable totals={totals} /> : <p className="panel-empty">No usage yet.</p>}
      <ContextParts id={id} endedRuns={endedRuns} context={transcript?.context} />
      {value && <CostPlot turns={value.turns} />}
      {byModel.map(([model, modelTotals]) => (
        <section key={model}>
          <h3>{model}</h3>
          <TotalsTable totals={modelTotals} />
        </section>
      ))}
    </div>
  )
}

const TotalsTable = ({ totals }: { totals: Totals }) => {
  const { input, output, cacheRead, cacheWrite, reasoning, costUsd, provenance } = totals
  return (
    <table className="totals-table">
      <tbody>
        <TokenRow label="Input" count={input} />
        <TokenRow label="Output" count={output} />
        {reasoning !== undefined && <TokenRow label="of which reasoning" count={reasoning} />}
        <TokenRow label="Cache read" count={cacheRead} />
        <TokenRow label="Cache write" count={cacheWrite} />
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
