import type { SpendingSums } from '../../../src/events/index.ts'
import { allTokens } from '../../../src/events/usage-sums.ts'
import { formatCost, formatCount, formatTokens } from '../parts/format.ts'
import { Link } from '../parts/link.tsx'
import { Revealed } from '../parts/revealed.tsx'
import { amountSources } from './spending.ts'

/** One row of a table with costs. */
export interface SpendingLine {
  readonly key: string
  readonly label: string
  /** The page that the label links to. */
  readonly path?: string
  readonly sums: SpendingSums
}

interface Props {
  /** What the rows are, such as “Day”. */
  head: string
  rows: readonly SpendingLine[]
}

/** Costs as bars and numbers; tokens as bars if nothing has a price. */
export const CostTable = ({ head, rows }: Props) => {
  const hasCost = rows.some(({ sums }) => (sums.costUsd ?? 0) > 0)
  const heightOf = ({ sums }: SpendingLine) => (hasCost ? (sums.costUsd ?? 0) : allTokens(sums))
  const highest = Math.max(...rows.map(heightOf), 0)
  const percentOf = (row: SpendingLine) =>
    highest > 0 ? Math.max(0, (heightOf(row) / highest) * 100) : 0
  return (
    <table className="cost-table">
      <thead>
        <tr>
          <th scope="col">{head}</th>
          <td className="cost-bar-cell" />
          <th scope="col">Tokens</th>
          <th scope="col">Cost</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key}>
            <th scope="row" dir="auto">
              <RowLabel row={row} />
            </th>
            <td className="cost-bar-cell" aria-hidden="true">
              <span className="cost-bar" style={{ width: `${percentOf(row)}%` }} />
            </td>
            <td className="cost-tokens number" title={formatCount(allTokens(row.sums))}>
              {formatTokens(allTokens(row.sums))}
              <span className="only-phone"> tokens</span>
            </td>
            <td className="cost-amount number">
              <Amount sums={row.sums} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const RowLabel = ({ row: { label, path } }: { row: SpendingLine }) => {
  const text = <Revealed text={label} isCollapsed />
  return path === undefined ? text : <Link to={path}>{text}</Link>
}

/** An amount, and where it comes from. */
const Amount = ({ sums }: { sums: SpendingSums }) => {
  const { costUsd, unpriced } = sums
  if (costUsd === null)
    return <span className="provenance">{unpriced.length > 0 && 'unpriced'}</span>
  return (
    <>
      {formatCost(costUsd)}
      <span className="provenance">
        {' '}
        {[...amountSources(sums), ...(unpriced.length > 0 ? ['unpriced'] : [])].join(' + ')}
      </span>
    </>
  )
}
