import { z } from 'zod'
import { approvalAction, approvalAnswers, approvalFields, approvalOutcome } from './tool-events.ts'

export const decisionNote = z
  .strictObject({
    action: approvalAction,
    outcome: approvalOutcome,
    by: z.string().optional().describe('Who decided.'),
    message: z.string().optional().describe('Message to the agent about the decision.'),
    optionLabel: z
      .string()
      .optional()
      .describe('What the chosen option of the agent does, for people.'),
    answers: approvalAnswers.optional(),
  })
  .describe('The decision about a tool call.')

export const waitingApproval = z
  .strictObject({
    ...approvalFields,
    parentToolCallId: z
      .string()
      .optional()
      .describe('Id of the tool call that the request was made inside.'),
    createdAt: z
      .number()
      .optional()
      .describe('When the request was made, in milliseconds since 1970.'),
  })
  .describe('An approval that waits for a decision.')
