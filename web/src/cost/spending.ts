import type { CostReport, CostRow } from '../../../src/api/index.ts'
import type { Provenance, SpendingSums } from '../../../src/events/index.ts'

/** Where an amount comes from; the largest part first. */
export const amountSources = ({ costBy }: SpendingSums): Provenance[] =>
  provenances
    .filter((each) => (costBy[each] ?? 0) !== 0)
    .toSorted((a, b) => (costBy[b] ?? 0) - (costBy[a] ?? 0))

const provenances: readonly Provenance[] = ['reported', 'computed', 'estimated']

/** What a row of a report is called. */
export const spendingLabel = (
  { key, name, agent, start }: CostRow,
  { group, timezone }: Pick<CostReport, 'group' | 'timezone'>,
): string => {
  switch (group) {
    case 'day':
      return start === undefined ? key : dateText(start, timezone, dayParts)
    case 'week':
      return start === undefined ? key : `Week of ${dateText(start, timezone, weekParts)}`
    case 'month':
      return start === undefined ? key : dateText(start, timezone, monthParts)
    case 'block':
      return start === undefined ? key : dateText(start, timezone, blockParts)
    case 'project':
      return name ?? (key === '' ? 'No project' : `Deleted project ${key.slice(0, 8)}`)
    case 'session':
      return name ?? `${agent ?? 'Session'} ${key.slice(0, 8)}`
    case 'agent':
      return key
    case 'model':
      return key === '' ? 'Not reported by model' : key
  }
}

const dayParts = { weekday: 'short', day: 'numeric', month: 'short' } as const
const weekParts = { day: 'numeric', month: 'short' } as const
const monthParts = { month: 'long', year: 'numeric' } as const
const blockParts = { ...weekParts, hour: '2-digit', minute: '2-digit' } as const

const dateText = (at: number, timeZone: string, parts: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(undefined, { ...parts, timeZone }).format(at)

/** The ranges of time that the page offers. */
export const costRanges = {
  '1': 'Today',
  '7': 'Last 7 days',
  '30': 'Last 30 days',
  '90': 'Last 90 days',
  all: 'All time',
} as const

export type CostRange = keyof typeof costRanges

export const isCostRange = (text: string): text is CostRange => Object.hasOwn(costRanges, text)

/** When a range starts, at midnight where this browser is; undefined for all time. */
export const rangeStart = (range: CostRange, now: number): number | undefined => {
  if (range === 'all') return undefined
  const start = new Date(now)
  start.setHours(0, 0, 0, 0)
  start.setDate(start.getDate() - Number(range) + 1)
  return start.getTime()
}
