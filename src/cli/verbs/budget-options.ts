import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseAmount, parseLimits } from '../../budget/amounts.ts'
import type { BudgetLimits, BudgetMeasure, OnExceeded, SessionBudget } from '../../events/types.ts'

/** What the options about limits are parsed to. */
export interface LimitFlags {
  maxCost?: number
  maxTokens?: number
  maxDuration?: number
  onBudget?: OnExceeded
}

const examples: Record<BudgetMeasure, string> = {
  costUsd: 'Give US dollars above 0, such as 5 or 0.50.',
  tokens: 'Give a number above 0, such as 20000, 200k or 2M.',
  durationMs: 'Give a time such as 90s, 45m or 4h.',
}

/** Reads an amount of a measure. */
export const amount =
  (measure: BudgetMeasure) =>
  (text: string): number => {
    const parsed = parseAmount(measure, text)
    if (parsed === undefined) throw new InvalidArgumentError(examples[measure])
    return parsed
  }

/** Reads `cost=5,tokens=2M,time=4h`. */
export const limits = (text: string): BudgetLimits => {
  const parsed = parseLimits(text)
  if (!parsed)
    throw new InvalidArgumentError('Give limits such as cost=5, or cost=5,tokens=2M,time=4h.')
  return parsed
}

/** Adds the options that limit one session. */
export const addLimitOptions = (command: Command): Command =>
  command
    .option('--max-cost <usd>', 'limit the money, such as 5 or 0.50', amount('costUsd'))
    .option('--max-tokens <count>', 'limit the tokens, such as 200k or 2M', amount('tokens'))
    .option('--max-duration <time>', 'limit the time of work, such as 45m', amount('durationMs'))

export const onBudgetOption = (description: string): Option =>
  new Option('--on-budget <how>', description).choices(['ask', 'stop'])

/** The limits that the options name. */
export const limitsOf = ({ maxCost, maxTokens, maxDuration }: LimitFlags): BudgetLimits => ({
  ...(maxCost !== undefined && { costUsd: maxCost }),
  ...(maxTokens !== undefined && { tokens: maxTokens }),
  ...(maxDuration !== undefined && { durationMs: maxDuration }),
})

/** The budget of the options; undefined if none of them was given. */
export const budgetOf = (flags: LimitFlags): SessionBudget | undefined => {
  const { onBudget } = flags
  const given = limitsOf(flags)
  if (Object.keys(given).length === 0 && onBudget === undefined) return undefined
  return { limits: given, ...(onBudget !== undefined && { onExceeded: onBudget }) }
}
