import { useState } from 'react'
import type { CostReport } from '../../../src/api/index.ts'
import { allTokens } from '../../../src/events/usage-sums.ts'
import { formatCost, formatCount, formatTokens } from '../parts/format.ts'
import { MoneyHeader } from '../parts/money-header.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { UnpricedNote } from '../parts/unpriced-note.tsx'
import { sessionPath } from '../state/route.ts'
import { CostBlocks } from './cost-blocks.tsx'
import { CostTable } from './cost-table.tsx'
import {
  amountSources,
  type CostRange,
  costRanges,
  isCostRange,
  spendingLabel,
} from './spending.ts'
import { useCost } from './use-cost.ts'
import '../style/overview.css'
import '../style/cost.css'

const groups = {
  day: 'Day',
  week: 'Week',
  month: 'Month',
  model: 'Model',
  project: 'Project',
  agent: 'Agent',
  session: 'Session',
} as const

type ShownGroup = keyof typeof groups

const isShownGroup = (text: string): text is ShownGroup => Object.hasOwn(groups, text)

/** What the agents have cost: in total, by day, model, project and so on. */
export const CostScreen = () => {
  const [range, setRange] = useState<CostRange>('30')
  const [group, setGroup] = useState<ShownGroup>('day')
  const { value, error } = useCost(group, range)
  return (
    <div className="overview">
      <MoneyHeader current="/cost" />
      <main className="cost">
        <div className="cost-controls">
          <label>
            Time
            <select
              value={range}
              onChange={({ target }) => isCostRange(target.value) && setRange(target.value)}
            >
              {Object.entries(costRanges).map(([name, label]) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <label>
            Group by
            <select
              value={group}
              onChange={({ target }) => isShownGroup(target.value) && setGroup(target.value)}
            >
              {Object.entries(groups).map(([name, label]) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        </div>
        <ProblemMessage title="Could not load the cost" reason={error} />
        {value && value.rows.length > 0 && <CostSums report={value} />}
        {value && <CostRows report={value} />}
        <CostBlocks />
        {value && value.group !== 'model' && <ModelRows report={value} />}
      </main>
    </div>
  )
}

const CostSums = ({ report: { total, unfilled = 0 } }: { report: CostReport }) => {
  const { costUsd, costBy, calls, unpriced } = total
  const sources = amountSources(total)
  return (
    <section className="cost-section" aria-label="Total">
      <p className="cost-sum">
        <strong className="number">{formatCost(costUsd)}</strong>
        <span className="number">{formatTokens(allTokens(total))} tokens</span>
        {calls > 0 && <span className="number">{formatCount(calls)} model calls</span>}
      </p>
      {sources.length > 0 && (
        <p className="cost-note">
          {sources.map((each) => `${formatCost(costBy[each])} ${sourceTexts[each]}`).join(', ')}.
        </p>
      )}
      <UnpricedNote models={unpriced} />
      {unfilled > 0 && (
        <p className="cost-note" role="status">
          {formatCount(unfilled)} older sessions are still being added.
        </p>
      )}
    </section>
  )
}

const sourceTexts = {
  reported: 'reported by the agents',
  computed: 'computed from token prices',
  estimated: 'estimated',
} as const

const timeGroups: ReadonlySet<string> = new Set(['day', 'week', 'month'])

const CostRows = ({ report }: { report: CostReport }) => {
  const { group, rows, omitted = 0 } = report
  // The newest day is what people look for.
  const shown = timeGroups.has(group) ? rows.toReversed() : rows
  const head = isShownGroup(group) ? groups[group] : ''
  if (rows.length === 0) return <p className="cost-note">Nothing was used in this time.</p>
  return (
    <section className="cost-section" aria-label={`By ${head.toLowerCase()}`}>
      <CostTable
        head={head}
        rows={shown.map((row) => ({
          key: row.key,
          label: spendingLabel(row, report),
          sums: row.sums,
          ...(group === 'session' && { path: sessionPath(row.key) }),
        }))}
      />
      {omitted > 0 && <p className="cost-note">{formatCount(omitted)} more are not shown.</p>}
    </section>
  )
}

const ModelRows = ({ report: { models } }: { report: CostReport }) =>
  models.length > 0 && (
    <section className="cost-section" aria-label="By model">
      <h2>By model</h2>
      <CostTable
        head="Model"
        rows={models.map(({ model, sums }) => ({
          key: model,
          label: model === '' ? 'Not reported by model' : model,
          sums,
        }))}
      />
    </section>
  )
