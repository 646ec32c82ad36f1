import { z } from 'zod'
import { budgetLimits, budgetScope, budgetUse, onExceeded } from '../events/budget.ts'
import { time } from './fields.ts'

export const budget = z
  .object({
    id: z.string().describe('Id of the budget.'),
    scope: budgetScope,
    projectId: z.string().optional().describe('The project that it is for. Default: all.'),
    limits: budgetLimits.describe('The limits as they were set.'),
    onExceeded,
    uses: z
      .array(budgetUse)
      .optional()
      .describe('How much of each limit is used now. Absent if `scope` is `session`.'),
    isFixed: z
      .literal(true)
      .optional()
      .describe('Present if an option of `sluice serve` set it: it cannot be changed or removed.'),
    createdAt: time('When it was set'),
    by: z.string().optional().describe('Who set it.'),
  })
  .describe('A budget that holds for several sessions.')

export const budgetList = z
  .object({
    budgets: z.array(budget).describe('All budgets, in the order in which they were set.'),
  })
  .describe('Response of `GET budgets`.')

const someLimit = budgetLimits.refine((limits) => Object.values(limits).some((each) => each), {
  message: 'Set costUsd, tokens or durationMs.',
})

export const newBudget = z
  .strictObject({
    scope: budgetScope,
    projectId: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Id of the project. Required if `scope` is `project`.'),
    limits: someLimit,
    onExceeded: onExceeded.optional().describe('Default: `ask`.'),
  })
  .refine(({ scope, projectId }) => scope !== 'project' || projectId !== undefined, {
    message: 'A budget of a project needs its projectId.',
  })
  .describe(
    'Body of `POST budgets`. It replaces the budget of the same scope and project, if there is one.',
  )

export const budgetChange = z
  .strictObject({ limits: someLimit.optional(), onExceeded: onExceeded.optional() })
  .describe('Body of `PATCH budgets/:id`. Fields that are absent do not change.')
