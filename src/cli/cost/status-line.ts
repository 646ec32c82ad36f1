import type { CostReport } from '../../api/types.ts'
import { countOf, type Fields, fieldsOf, stringIn } from '../../shared/fields.ts'
import { plainLine } from '../clean-text.ts'
import { dollars, markedCost, shortSpan } from './amounts.ts'

export interface StatusLineOptions {
  /** What Claude Code wrote on stdin. */
  input: string
  /** The cost of today, and of the blocks. */
  today: CostReport
  blocks: CostReport
  now: number
}

/**
 * One line for Claude Code’s status line: the model, the cost of its session, what Sluice has counted
 * today and in this block, and how full the context is. What is not known is left out.
 */
export const statusLine = ({ input, today, blocks, now }: StatusLineOptions): string => {
  const status = parsed(input)
  const model = stringIn(status.model, 'display_name')
  const usd = countOf(fieldsOf(status.cost).total_cost_usd)
  const context = countOf(fieldsOf(status.context_window).used_percentage)
  const block = blocks.rows.find(({ pace }) => pace)
  const usdPerHour = block?.pace?.usdPerHour
  return [
    ...(model === undefined ? [] : [plainLine(model)]),
    ...(usd === undefined ? [] : [`${dollars(usd)} session`]),
    `${today.total.costUsd === null ? dollars(0) : markedCost(today.total)} today`,
    ...(block
      ? [`${markedCost(block.sums)} block, ${shortSpan((block.end ?? now) - now)} left`]
      : []),
    ...(usdPerHour === undefined || usdPerHour === null ? [] : [`${dollars(usdPerHour)}/h`]),
    ...(context === undefined ? [] : [`${Math.round(context)}% context`]),
  ].join(' · ')
}

const parsed = (input: string): Fields => {
  try {
    return fieldsOf(JSON.parse(input))
  } catch {
    return {}
  }
}
