import type { CostReport, CostRow } from '../../api/types.ts'
import type { SpendingSums } from '../../events/types.ts'
import { plainLine } from '../clean-text.ts'

const titles = [
  ...['group', 'key', 'name', 'agent', 'model', 'start', 'end'],
  ...['input', 'output', 'cache_read', 'cache_write', 'reasoning', 'web_searches', 'web_fetches'],
  ...['calls', 'cost_usd', 'cost_reported', 'cost_computed', 'cost_estimated', 'unpriced'],
]

/** A cost report as CSV (RFC 4180). With a breakdown, each model of a row is a line. */
export const costCsv = (report: CostReport): string =>
  [titles, ...report.rows.flatMap((row) => linesOf(row, report))]
    .map((cells) => `${cells.map(cellText).join(',')}\n`)
    .join('')

type Cell = string | number | null | undefined

const linesOf = (row: CostRow, { group }: CostReport): Cell[][] => {
  const { key, name, agent, start, end } = row
  const line = (model: string | undefined, sums: SpendingSums): Cell[] => [
    ...[group, key, name, agent, model, isoTime(start), isoTime(end)],
    ...amountsOf(sums),
  ]
  if (row.models) return row.models.map(({ model, sums }) => line(model, sums))
  return [line(group === 'model' ? key : undefined, row.sums)]
}

const amountsOf = (sums: SpendingSums): Cell[] => {
  const { costBy, unpriced } = sums
  return [
    ...[sums.input, sums.output, sums.cacheRead, sums.cacheWrite, sums.reasoning],
    ...[sums.webSearchRequests, sums.webFetchRequests, sums.calls, sums.costUsd],
    ...[costBy.reported, costBy.computed, costBy.estimated],
    unpriced.join(' '),
  ]
}

const isoTime = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString()

const cellText = (cell: Cell): string => {
  if (cell === null || cell === undefined) return ''
  if (typeof cell === 'number') return String(Number(cell.toFixed(12)))
  const text = plainLine(cell)
  // A name that starts like a formula would be run by a spreadsheet.
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
