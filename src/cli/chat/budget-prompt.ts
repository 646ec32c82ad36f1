import { describeUse, formatAmount, parseAmount } from '../../budget/amounts.ts'
import type { BudgetMeasure, BudgetUse } from '../../events/types.ts'
import type { ApprovalPrompt } from './approval-prompt.ts'
import { isDenial, isKey } from './tool-prompt.ts'

const examples: Record<BudgetMeasure, string> = { costUsd: '5', tokens: '200k', durationMs: '30m' }

/** Asks whether a limit that is reached is raised, and by how much. */
export const budgetPrompt = (budget: BudgetUse): ApprovalPrompt => {
  const { measure, limit } = budget
  return {
    title: 'Raise the limit?',
    lines: [
      { text: describeUse(budget), isQuoted: false },
      { text: 'The agent is paused.', isQuoted: false },
    ],
    warnings: [],
    keys: [
      `y raise it by ${formatAmount(measure, limit)} · an amount such as ${examples[measure]} · n stop the run`,
    ],
    read(line) {
      if (isKey(line, 'y') || isKey(line, 'yes'))
        return { action: 'allow', raise: limit, by: 'person' }
      if (isDenial(line) || isKey(line, 'stop')) return { action: 'deny', by: 'person' }
      const raise = parseAmount(measure, line)
      if (raise !== undefined) return { action: 'allow', raise, by: 'person' }
      return line === ''
        ? undefined
        : { problem: `This is not an amount. Type one such as ${examples[measure]}, y or n.` }
    },
  }
}
