import type { CostReport, CostRow } from '../../api/types.ts'
import type { SpendingSums } from '../../events/types.ts'
import { allTokens } from '../../events/usage-sums.ts'
import type { Style } from '../../handler/style.ts'
import { markedCost, shortCount } from './amounts.ts'
import { cellsOf, fitted } from './cells.ts'
import { headOf, labelOf, modelLabel } from './labels.ts'

export interface TableOptions {
  /** The width of the screen. */
  width: number
  style: Style
}

interface Column {
  title: string
  text(sums: SpendingSums): string
}

const cost: Column = { title: 'Cost', text: markedCost }
const counted = (title: string, count: (sums: SpendingSums) => number): Column => ({
  title,
  text: (sums) => shortCount(count(sums)),
})
const tokens = counted('Tokens', allTokens)
const cached = counted('Cache', ({ cacheRead, cacheWrite }) => cacheRead + cacheWrite)
const input = counted('Input', (sums) => sums.input)
const output = counted('Output', (sums) => sums.output)
const calls = counted('Calls', (sums) => sums.calls)
const cacheRead = counted('Cache rd', (sums) => sums.cacheRead)
const cacheWrite = counted('Cache wr', (sums) => sums.cacheWrite)

/** The columns for a screen, the widest set that leaves enough room for the names. */
const columnSets: readonly (readonly Column[])[] = [
  [input, output, cacheRead, cacheWrite, calls, cost],
  [input, output, cached, cost],
  [tokens, cost],
]

/** A cost report as a table that fits the screen. */
export const costTable = (report: CostReport, { width, style }: TableOptions): string => {
  const { group, rows, total } = report
  const lines = rows.flatMap((row) => [
    { label: labelOf(row, report), sums: row.sums, isModel: false },
    ...(row.models ?? []).map(({ model, sums }) => ({
      label: `  ${modelLabel(model)}`,
      ...{ sums, isModel: true },
    })),
  ])
  const sums = [...lines.map((line) => line.sums), total]
  const widest = Math.max(5, ...lines.map(({ label }) => cellsOf(label)))
  const { columns, widths } = chosenColumns(sums, Math.min(widest, longestLabel), width)
  const room = width - widths.reduce((sum, each) => sum + each + 2, 0)
  const labelWidth = Math.max(5, Math.min(widest, room))
  const line = (label: string, cells: readonly string[]): string =>
    [fitted(label, labelWidth), ...cells.map((cell, at) => cell.padStart(widths[at] ?? 0))]
      .join('  ')
      .trimEnd()
  const cellsIn = (each: SpendingSums) => columns.map((column) => column.text(each))
  return [
    style(
      'bold',
      line(
        headOf(group),
        columns.map(({ title }) => title),
      ),
    ),
    ...lines.map(({ label, sums: own, isModel }) =>
      isModel ? style('dim', line(label, cellsIn(own))) : line(label, cellsIn(own)),
    ),
    style('bold', line('Total', cellsIn(total))),
  ]
    .map((each) => `${each}\n`)
    .join('')
}

/** A longer label is cut when another column would not fit. */
const longestLabel = 28

const chosenColumns = (
  sums: readonly SpendingSums[],
  labelWidth: number,
  width: number,
): { columns: readonly Column[]; widths: number[] } => {
  const candidates = columnSets.map((columns) => ({
    columns,
    widths: columns.map(({ title, text }) =>
      Math.max(title.length, ...sums.map((each) => text(each).length)),
    ),
  }))
  const fits = ({ widths }: { widths: readonly number[] }): boolean =>
    labelWidth + widths.reduce((sum, each) => sum + each + 2, 0) <= width
  const found = candidates.find(fits) ?? candidates.at(-1)
  if (!found) throw new Error('There are no columns.')
  return found
}

/** A report as bars: one for each row, as long as its cost, or its tokens if no cost is known. */
export const costPlot = (report: CostReport, { width, style }: TableOptions): string => {
  const { rows } = report
  const hasCost = report.total.costUsd !== null
  const sizeOf = ({ sums }: CostRow): number =>
    Math.max(0, hasCost ? (sums.costUsd ?? 0) : allTokens(sums))
  const textOf = ({ sums }: CostRow): string =>
    hasCost ? markedCost(sums) : shortCount(allTokens(sums))
  const largest = Math.max(...rows.map(sizeOf), 0)
  const labels = rows.map((row) => labelOf(row, report))
  const textWidth = Math.max(0, ...rows.map((row) => textOf(row).length))
  const labelWidth = Math.min(Math.max(0, ...labels.map(cellsOf)), Math.floor(width / 3))
  const barWidth = Math.max(4, width - labelWidth - textWidth - 4)
  return rows
    .map((row, at) => {
      const size = largest === 0 ? 0 : (sizeOf(row) / largest) * barWidth
      const bar = barOf(size)
      const filled = style('cyan', bar) + ' '.repeat(barWidth - bar.length)
      return `${fitted(labels[at] ?? '', labelWidth)}  ${filled}  ${textOf(row).padStart(textWidth)}\n`
    })
    .join('')
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A bar of this many columns. What is not zero shows at least a thin line. */
const barOf = (size: number): string => {
  const parts = Math.round(size * 8)
  if (parts === 0) return size > 0 ? '▏' : ''
  return '█'.repeat(Math.floor(parts / 8)) + (eighths[parts % 8] ?? '')
}
