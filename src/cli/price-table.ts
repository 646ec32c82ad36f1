import type { ModelPrice, PriceTier } from '../api/types.ts'
import { shortened } from '../shared/shortened.ts'
import { plainLine } from './clean-text.ts'

/** One model as `sluice prices --json` prints it. */
export interface PriceRow extends ModelPrice {
  model: string
  /** Null for a price that the user has set. */
  provider: string | null
  priceList: string
}

const columnWidth = 9
const columns = ['input', 'output', 'cacheRead', 'cacheWrite'] as const
const titles = ['input', 'output', 'read', 'write']

/** A table of prices by provider. On a narrow screen, the numbers are below the names. */
export const priceTable = (rows: readonly PriceRow[], width: number): string => {
  const nameWidth = Math.min(44, width - columns.length * columnWidth)
  const isNarrow = nameWidth < 30
  const lead = isNarrow ? '' : ' '.repeat(nameWidth)
  const lines = [`${lead}${titles.map((title) => title.padStart(columnWidth)).join('')}`]
  let provider: string | null | undefined
  for (const row of rows) {
    if (row.provider !== provider) lines.push(row.provider ?? 'your own prices')
    provider = row.provider
    lines.push(...priceLines(plainLine(row.model), row, { isNarrow, nameWidth, width }))
    for (const tier of row.tiers ?? [])
      lines.push(...priceLines(tierName(tier), tier, { isNarrow, nameWidth, width }))
  }
  return lines.map((line) => `${line}\n`).join('')
}

const tierName = ({ above }: PriceTier): string => `  above ${above.toLocaleString('en-US')} tokens`

interface LineOptions {
  isNarrow: boolean
  nameWidth: number
  width: number
}

const priceLines = (
  name: string,
  price: Omit<ModelPrice, 'tiers'>,
  { isNarrow, nameWidth, width }: LineOptions,
): string[] => {
  const numbers = columns.map((column) => rateText(price[column]).padStart(columnWidth)).join('')
  if (isNarrow) return [`  ${shortened(name, width - 2)}`, numbers]
  return [`  ${shortened(name, nameWidth - 3)}`.padEnd(nameWidth) + numbers]
}

/** At least two decimals, and as many as the price has up to six. A missing price is a dash. */
const rateText = (usd: number | undefined): string => {
  if (usd === undefined) return '–'
  const text = String(Number(usd.toFixed(6)))
  const decimals = text.split('.')[1]?.length ?? 0
  return decimals < 2 ? usd.toFixed(2) : text
}
