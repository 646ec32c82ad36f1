import { z } from 'zod'
import { approvalAction, approvalFields } from '../events/tool-events.ts'
import { time } from './fields.ts'

/** A question that waits for a person. */
export const approval = z.object({
  ...approvalFields,
  sessionId: z.string(),
  deadline: z.number().describe('When no answer becomes a deny, in ms since 1970.'),
  createdAt: time.optional(),
  parentToolCallId: z.string().optional().describe('The call that it was asked inside.'),
})

/** `GET approvals`, oldest first. */
export const approvalList = z.array(approval)

export const approvalQuery = z.strictObject({ sessionId: z.string().max(200).optional() })

/** `POST approvals/:id` */
export const approvalAnswer = z.strictObject({
  action: approvalAction,
  updatedInput: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('The arguments to run with instead.'),
  message: z.string().max(100_000).optional().describe('What the agent is told about it.'),
  value: z.string().max(1_000_000).optional().describe('What was chosen or typed in a dialog.'),
  remember: z
    .union([z.boolean(), z.enum(['tool', 'command'])])
    .optional()
    .describe(
      'Allow for the rest of the session: every use of the `tool` (or true), or this very `command`.',
    ),
})

/** What became of an answer that was in time. */
export const approvalResult = z.object({
  approvalId: z.string(),
  sessionId: z.string(),
  action: approvalAction,
  outcome: z.literal('answered'),
})
