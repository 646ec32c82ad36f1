import { z } from 'zod'
import { isTimezone } from '../events/is-timezone.ts'
import { spendingSums } from '../events/spending.ts'
import { count, queryNumber, time } from './fields.ts'

export const costGroup = z
  .enum(['day', 'week', 'month', 'block', 'session', 'project', 'agent', 'model'])
  .describe(
    'What a row of a cost report stands for. A week starts on Monday. A block lasts five hours, from the full hour of its first model call.',
  )

export const timezone = z
  .string()
  .max(100)
  .refine(isTimezone, 'Unknown time zone. Use a name such as `Europe/Berlin` or `UTC`.')
  .describe('The time zone of days, weeks and months, such as `Europe/Berlin`.')

export const costQuery = z
  .strictObject({
    since: queryNumber(0)
      .optional()
      .describe('Start of the range, in milliseconds since 1970. Rounded down to 15 minutes.'),
    until: queryNumber(0)
      .optional()
      .describe('End of the range, in milliseconds since 1970. Rounded down to 15 minutes.'),
    group: costGroup.optional().describe('What a row stands for. Default: `day`.'),
    timezone: timezone.optional().describe('Time zone of the rows. Default: that of the server.'),
    breakdown: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true`: each row also lists its models.'),
    projectId: z.string().max(200).optional().describe('Only sessions of this project.'),
    sessionId: z.string().max(200).optional().describe('Only this session.'),
    limit: queryNumber(1, 10_000)
      .optional()
      .describe('Maximum number of rows. Default: 1,000. The total includes all.'),
  })
  .describe('Query of `GET cost`.')

export const modelCost = z
  .object({
    model: z.string().describe('Name of the model. Empty: cost that was reported for no model.'),
    sums: spendingSums,
  })
  .describe('What one model has used.')

export const costPace = z
  .object({
    usdPerHour: z.number().nullable().describe('Cost per hour. Null while it is unknown.'),
    tokensPerMinute: z.number().describe('Tokens of all kinds per minute.'),
    projectedUsd: z
      .number()
      .nullable()
      .describe('Cost of the whole block if it goes on like this. Null while it is unknown.'),
    projectedTokens: z.number().describe('Tokens of the whole block if it goes on like this.'),
  })
  .describe('How fast the running block is spending, and where that leads.')

export const costRow = z
  .object({
    key: z
      .string()
      .describe(
        'What the row stands for: a date (`2026-11-16`), a month (`2026-11`), the start of a block as an ISO time, an id, or a name. Empty: no project, or no model.',
      ),
    name: z
      .string()
      .optional()
      .describe('Name of the session or project. Absent if it has none or is deleted.'),
    agent: z.string().optional().describe('Name of the agent, in rows of sessions.'),
    start: time('Start of the day, week, month or block').optional(),
    end: time('End of the day, week, month or block').optional(),
    firstUse: time('Start of the 15 minutes with the first usage of the row'),
    lastUse: time('End of the 15 minutes with the last usage of the row'),
    sums: spendingSums,
    models: z.array(modelCost).optional().describe('The models of the row, most expensive first.'),
    pace: costPace.optional().describe('Present in the block that is running now.'),
  })
  .describe('One row of a cost report.')

export const costReport = z
  .object({
    group: costGroup,
    timezone,
    since: time('Start of the range').optional(),
    until: time('End of the range').optional(),
    rows: z
      .array(costRow)
      .describe('Days, weeks, months and blocks oldest first; others most expensive first.'),
    omitted: count
      .optional()
      .describe('Number of rows that `limit` left out: the oldest or cheapest.'),
    total: spendingSums.describe('The sums of all rows.'),
    models: z.array(modelCost).describe('The sums by model, most expensive first.'),
    unfilled: count
      .optional()
      .describe(
        'Number of sessions of an older version whose events are still being added to the sums. Absent when all are included.',
      ),
  })
  .describe('Response of `GET cost`.')
