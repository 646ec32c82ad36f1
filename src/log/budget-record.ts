import { z } from 'zod'
import { budgetLimits, budgetScope, onExceeded, sessionBudget } from '../events/budget.ts'

/** What a session’s record has about its budget. */
export const sessionBudgetFields = {
  budget: sessionBudget.optional().describe('The session’s own limits.'),
  raised: z
    .record(z.string(), budgetLimits)
    .optional()
    .describe('By how much limits were raised for this session, by the id of their budget.'),
  workedMs: z
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe('How long its runs took, in ms, without the time in which they waited for people.'),
}

export const raisedLimits = z
  .strictObject({
    day: z.string().optional().describe('The day that it holds on: `2026-11-16`.'),
    limits: budgetLimits,
  })
  .describe('By how much limits were raised.')

export const budgetRecord = z
  .strictObject({
    id: z.string().min(1),
    scope: budgetScope,
    projectId: z.string().optional().describe('The project that it is for. Default: all.'),
    limits: budgetLimits,
    onExceeded,
    raised: raisedLimits
      .optional()
      .describe('By how much the limits were raised. Absent for a budget of sessions.'),
    createdAt: z.number().int().describe('In ms since 1970.'),
    by: z.string().optional().describe('Who set it.'),
  })
  .describe('A budget that holds for several sessions.')
