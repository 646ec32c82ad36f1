import type { SpendingSums } from '../../events/types.ts'

/** A number of tokens in at most five characters: 950, 1.2k, 34k, 5.6M. */
export const shortCount = (count: number): string => {
  const size = Math.abs(count)
  const unit = units.find(([least]) => size >= least)
  if (!unit) return String(Math.round(count))
  const value = count / unit[1]
  return `${value.toFixed(Math.abs(value) < 9.95 ? 1 : 0)}${unit[2]}`
}

/** From which number on, by what to divide, and the sign. 999,500 would be 1000k. */
const units = [
  [999_500_000_000, 1e12, 'T'],
  [999_500_000, 1e9, 'B'],
  [999_500, 1e6, 'M'],
  [1000, 1000, 'k'],
] as const

/** An amount of money. Small ones have four digits after the point. */
export const dollars = (usd: number): string => {
  const size = Math.abs(usd)
  const digits = size !== 0 && size < 0.1 ? 4 : 2
  const text = size.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  return `${usd < 0 && Number(size.toFixed(digits)) !== 0 ? '-' : ''}$${text}`
}

/** A cost with its provenance: `≈` has computed parts, `≥` is a lower bound, `+` lacks some models. */
export const markedCost = ({ costUsd, costBy, unpriced }: SpendingSums): string => {
  if (costUsd === null) return unpriced.length > 0 ? 'no price' : '–'
  const lacks = unpriced.length > 0 ? '+' : ''
  return `${markOf(costBy)}${dollars(costUsd)}${lacks}`
}

const markOf = ({ computed, estimated }: SpendingSums['costBy']): string => {
  if (Math.abs(estimated) > 1e-9) return '≥'
  return Math.abs(computed) > 1e-9 ? '≈' : ''
}

/** A time span such as `2h 5m`. */
export const shortSpan = (ms: number): string => {
  const minutes = Math.max(0, Math.round(ms / 60_000))
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return hours > 0 ? `${hours}h ${rest}m` : `${rest}m`
}
