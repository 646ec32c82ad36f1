import { z } from 'zod'

export const budgetMeasure = z
  .enum(['costUsd', 'tokens', 'durationMs'])
  .describe(
    'What a limit is about. `costUsd`: money in US dollars. `tokens`: input and output tokens of every kind. `durationMs`: time in milliseconds that agents worked, without the time in which they waited for a person.',
  )

export const budgetScope = z
  .enum(['session', 'project', 'day'])
  .describe(
    'What is counted together. `session`: one session. `project`: all sessions of a project. `day`: all sessions, or those of one project, since midnight in the time zone of the server.',
  )

export const onExceeded = z
  .enum(['ask', 'stop'])
  .describe(
    'What happens when a limit is reached. `ask`: the agent is paused, and an approval of the kind `budget` asks whether to raise the limit. `stop`: the run is stopped.',
  )

export const budgetLimits = z
  .strictObject({
    costUsd: z.number().positive().max(1e9).optional().describe('Most money, in US dollars.'),
    tokens: z
      .number()
      .int()
      .positive()
      .optional()
      .describe('Most tokens: input, output, and those read from or written to a cache.'),
    durationMs: z
      .number()
      .int()
      .positive()
      .optional()
      .describe('Most time that agents may work, in milliseconds.'),
  })
  .describe('The limits of a budget. A limit that is absent does not hold.')

export const budgetUse = z
  .strictObject({
    budgetId: z
      .string()
      .describe('Id of the budget in `GET budgets`; `own` for the session’s own limits.'),
    scope: budgetScope,
    measure: budgetMeasure,
    limit: z.number().positive().describe('The limit, with what it was raised by.'),
    spent: z.number().nonnegative().describe('How much of it is used, in the same unit.'),
    projectId: z.string().optional().describe('The project that the budget is for, if it is one.'),
  })
  .describe('How much of one limit is used.')

export const budgetRaise = z
  .number()
  .positive()
  .max(1e15)
  .describe('By how much the limit is raised, in its own unit: US dollars, tokens or milliseconds.')

export const sessionBudget = z
  .strictObject({ limits: budgetLimits, onExceeded: onExceeded.optional() })
  .describe('The limits of one session. Default of `onExceeded`: `ask`.')

/** The limits that a snapshot has. */
export const snapshotBudgets = z
  .array(budgetUse)
  .optional()
  .describe('Limits that are nearly used or reached, as the last event about each reported them.')
