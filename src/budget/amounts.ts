import type {
  BudgetLimits,
  BudgetMeasure,
  BudgetScope,
  BudgetUse,
  OnExceeded,
} from '../events/types.ts'
import { measures } from './limits.ts'

/** An amount as people read it: `$5.00`, `20,000 tokens`, `1 h 30 min`. */
export const formatAmount = (measure: BudgetMeasure, amount: number): string => {
  if (measure === 'costUsd') return formatUsd(amount)
  if (measure === 'tokens') return `${Math.round(amount).toLocaleString('en-US')} tokens`
  return formatTime(amount)
}

const formatUsd = (amount: number): string =>
  `$${amount.toFixed(amount > 0 && amount < 0.095 ? 4 : 2)}`

const timeUnits = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** At most two units, the larger one first. */
const formatTime = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`
  let left = Math.round(ms / 1000) * 1000
  const parts = timeUnits.flatMap(([unit, size]) => {
    const count = Math.floor(left / size)
    left -= count * size
    return count > 0 ? `${count} ${unit}` : []
  })
  return parts.slice(0, 2).join(' ')
}

const units: Record<BudgetMeasure, Readonly<Record<string, number>>> = {
  costUsd: { '': 1 },
  tokens: { '': 1, k: 1e3, m: 1e6, g: 1e9 },
  durationMs: { '': 1000, ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 },
}

/**
 * The amount that a text means; undefined if it means none. Money: `5`, `$0.50`. Tokens: `20000`,
 * `200k`, `2M`. Time: `90` (seconds), `90s`, `10m`, `4h`, `1d`.
 */
export const parseAmount = (measure: BudgetMeasure, text: string): number | undefined => {
  const pattern =
    measure === 'costUsd' ? /^\$?(\d+(?:\.\d+)?|\.\d+)()$/ : /^(\d+(?:\.\d+)?)([a-z]*)$/i
  const [, digits, unit] = pattern.exec(text.trim()) ?? []
  const factor = unit === undefined ? undefined : units[measure][unit.toLowerCase()]
  if (digits === undefined || factor === undefined) return undefined
  const amount = Number(digits) * factor
  const rounded = measure === 'costUsd' ? amount : Math.round(amount)
  return rounded > 0 && Number.isFinite(rounded) ? rounded : undefined
}

const names: Readonly<Record<string, BudgetMeasure>> = {
  cost: 'costUsd',
  tokens: 'tokens',
  time: 'durationMs',
}

/** The limits in a text such as `cost=5,tokens=2M,time=4h`; undefined if it is not valid. */
export const parseLimits = (text: string): BudgetLimits | undefined => {
  const limits: BudgetLimits = {}
  for (const part of text.split(',')) {
    const [name = '', value = ''] = part.split('=', 2)
    const measure = Object.hasOwn(names, name.trim()) ? names[name.trim()] : undefined
    const amount = measure && parseAmount(measure, value)
    if (measure === undefined || amount === undefined) return undefined
    limits[measure] = amount
  }
  return limits
}

/** A limit as part of a sentence: `The limit of this session ($5.00) is reached: $5.12 used.` */
export const describeUse = (
  { scope, measure, limit, spent }: BudgetUse,
  state: 'reached' | 'nearly used' = 'reached',
): string =>
  `The limit of this ${scope} (${formatAmount(measure, limit)}) is ${state}: ${formatAmount(measure, spent)} used.`

/** Why a session that was paused at the limit of a day goes on. */
export const describeRenewal = ({ measure, limit }: BudgetUse): string =>
  `A new day has begun: the limit of the day (${formatAmount(measure, limit)}) counts from zero.`

/** A budget in one line, for the audit. */
export const describeBudget = ({
  scope,
  limits,
  onExceeded,
}: {
  scope: BudgetScope
  limits: BudgetLimits
  onExceeded: OnExceeded
}): string => {
  const amounts = measures.flatMap((measure) => {
    const limit = limits[measure]
    return limit === undefined ? [] : formatAmount(measure, limit)
  })
  return `${scope}: ${amounts.join(', ')}, then ${onExceeded}`
}
