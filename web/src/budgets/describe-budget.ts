import type { BudgetUse } from '../../../src/events/index.ts'
import { formatCost, formatDuration, formatTokens } from '../parts/format.ts'

type Measure = BudgetUse['measure']

/** An amount of what a limit measures: money, tokens or time. */
export const formatMeasure = (measure: Measure, value: number): string => {
  switch (measure) {
    case 'costUsd':
      return formatCost(value)
    case 'tokens':
      return `${formatTokens(value)} tokens`
    case 'durationMs':
      return formatDuration(value)
  }
}

/** The same where a label names the unit. */
export const formatMeasured = (measure: Measure, value: number): string =>
  measure === 'tokens' ? formatTokens(value) : formatMeasure(measure, value)

export const measureNames: Record<Measure, string> = {
  costUsd: 'Cost',
  tokens: 'Tokens',
  durationMs: 'Time',
}

/** What a budget counts together. */
export const budgetTitle = (scope: BudgetUse['scope'], projectName: string | undefined): string => {
  if (scope === 'session')
    return projectName === undefined ? 'Each session' : `Each session of ${projectName}`
  if (scope === 'project') return `All sessions of ${projectName ?? 'the project'}`
  return projectName === undefined ? 'Each day' : `Each day in ${projectName}`
}

/** Which budget a limit belongs to, in a sentence about one session. */
export const budgetOwner = ({ scope }: Pick<BudgetUse, 'scope'>): string => owners[scope]

const owners: Record<BudgetUse['scope'], string> = {
  session: 'this session',
  project: 'the project',
  day: 'today',
}

/** How much of a limit is used, in numbers. */
export const budgetText = ({ measure, spent, limit }: BudgetUse): string =>
  `${formatMeasured(measure, spent)} of ${formatMeasure(measure, limit)}`
