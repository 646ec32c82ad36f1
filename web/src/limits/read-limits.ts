/** Limits as a person types them; an empty field means no limit. */
export interface TypedLimits {
  readonly cost: string
  readonly tokens: string
  readonly time: string
}

/** Limits as the API expects them. */
export interface ReadLimits {
  readonly costUsd?: number | undefined
  readonly tokens?: number | undefined
  readonly durationMs?: number | undefined
}

export const noLimits: TypedLimits = { cost: '', tokens: '', time: '' }

/** Reads typed limits. Throws an error that says which field is wrong. */
export const readLimits = ({ cost, tokens, time }: TypedLimits): ReadLimits => {
  const costUsd = readField(cost, readAmount, 'The cost must be an amount such as 2.50.')
  const count = readField(tokens, readTokens, 'The tokens must be a number such as 500k or 2M.')
  const durationMs = readField(time, readDuration, 'The time must look like 30m, 4h or 1h 30m.')
  return {
    ...(costUsd !== undefined && { costUsd }),
    ...(count !== undefined && { tokens: count }),
    ...(durationMs !== undefined && { durationMs }),
  }
}

/** Limits in the form in which they are typed. */
export const typedLimits = ({ costUsd, tokens, durationMs }: ReadLimits = {}): TypedLimits => ({
  cost: costUsd === undefined ? '' : String(costUsd),
  tokens: tokens === undefined ? '' : String(tokens),
  time: durationText(durationMs),
})

/** A duration as it is typed: 4h, 1h 30m, 90s. */
export const durationText = (ms: number | undefined): string => {
  if (ms === undefined) return ''
  const seconds = ms / 1000
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'm'],
    [Number((seconds % 60).toFixed(3)), 's'],
  ] as const
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join(' ')
}

/** Reads one field; undefined if it is empty. */
export const readField = (
  text: string,
  read: (text: string) => number | undefined,
  problem: string,
): number | undefined => {
  if (text.trim() === '') return undefined
  const value = read(text)
  if (value === undefined) throw new Error(problem)
  return value
}

/** An amount in US dollars, such as `2.50` or `$2.50`. */
export const readAmount = (text: string): number | undefined => {
  const [, digits = ''] = /^\s*\$?\s*([\d.,]+)\s*$/.exec(text) ?? []
  return positive(numberOf(digits))
}

/** A number of tokens, such as `500`, `500k`, `1.5M` or `2B`. */
export const readTokens = (text: string): number | undefined => {
  const [, digits = '', unit = ''] = /^\s*([\d.,]+)\s*([kmb]?)\s*$/i.exec(text) ?? []
  const factor = { k: 1000, m: 1_000_000, b: 1_000_000_000 }[unit.toLowerCase()] ?? 1
  return positive(Math.round(numberOf(digits) * factor))
}

/** A duration in milliseconds, such as `90s`, `30m`, `1.5h` or `1h 30m`. */
export const readDuration = (text: string): number | undefined => {
  if (!/^\s*(?:\d+(?:\.\d+)?\s*[smhd]\s*)+$/i.test(text)) return undefined
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*([smhd])/gi)]
  return positive(
    Math.round(
      parts.reduce(
        (sum, [, digits, unit = '']) => sum + Number(digits) * (unitMs[unit.toLowerCase()] ?? 0),
        0,
      ),
    ),
  )
}

/** A whole number above 0. */
export const readWhole = (text: string): number | undefined =>
  /^\s*\d{1,9}\s*$/.test(text) ? positive(Number(text)) : undefined

/** Reads digits as people write them: 2.50, 2,50, 500,000 or 1,234.50. */
const numberOf = (digits: string): number => {
  if (/^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/.test(digits)) return Number(digits.replaceAll(',', ''))
  return /^\d+(?:[.,]\d+)?$/.test(digits) ? Number(digits.replace(',', '.')) : Number.NaN
}

const unitMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

const positive = (value: number): number | undefined =>
  Number.isFinite(value) && value > 0 ? value : undefined
