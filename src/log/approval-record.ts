import { z } from 'zod'
import { approvalAction, approvalFields, approvalOutcome } from '../events/tool-events.ts'

export const approvalStatus = z
  .enum(['pending', ...approvalOutcome.options])
  .describe('Waits, or how it ended.')

/** A question to a person, and what became of it. */
export const approvalRecord = z.strictObject({
  ...approvalFields,
  approvalId: z.string().min(1).describe('Unique over all sessions: an answer names nothing else.'),
  sessionId: z.string(),
  deadline: z.number().describe('When no answer becomes a deny, in ms since 1970.'),
  createdAt: z.number().int().describe('In ms since 1970.'),
  status: approvalStatus,
  action: approvalAction.optional(),
  by: z.string().optional().describe('Who decided.'),
  message: z.string().optional().describe('What the agent is told about it.'),
  updatedInput: z.unknown().optional().describe('The arguments to run with instead.'),
  resolvedAt: z.number().int().optional().describe('In ms since 1970.'),
})
