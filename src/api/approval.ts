import { z } from 'zod'
import { rememberedRule } from '../events/approval-rule.ts'
import { budgetRaise } from '../events/budget.ts'
import {
  acceptEdits,
  approvalAction,
  approvalAnswers,
  approvalFields,
} from '../events/tool-events.ts'
import { time } from './fields.ts'

export const approval = z
  .object({
    ...approvalFields,
    sessionId: z.string().describe('Id of the session.'),
    createdAt: time('When the request was made').optional(),
    parentToolCallId: z
      .string()
      .optional()
      .describe('Id of the tool call that the request was made inside.'),
  })
  .describe('An approval that waits for a decision.')

export const approvalList = z
  .array(approval)
  .describe('Response of `GET approvals`: pending approvals, oldest first.')

export const approvalQuery = z
  .strictObject({
    sessionId: z.string().max(200).optional().describe('Only approvals of this session.'),
  })
  .describe('Query of `GET approvals`.')

export const approvalAnswer = z
  .strictObject({
    action: approvalAction,
    hash: z
      .string()
      .max(200)
      .optional()
      .describe(
        'The `hash` of the approval that was shown. If it is not the hash of this approval, the answer gets 409. A browser must send it to allow.',
      ),
    updatedInput: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'Arguments to run the tool with instead of the requested ones. Needs the scope `rewrite`.',
      ),
    message: z
      .string()
      .max(100_000)
      .optional()
      .describe('Message to the agent about the decision.'),
    optionId: z
      .string()
      .max(1000)
      .optional()
      .describe(
        'Id of one of the `options` of the approval. `action` must be `allow` for the kinds `allow_once` and `allow_always`, and `deny` for the others.',
      ),
    answers: approvalAnswers.optional(),
    acceptEdits: acceptEdits
      .optional()
      .describe(
        'Also lets the agent edit files of the project without a request from now on. Only to allow an approval with `canAcceptEdits`.',
      ),
    value: z
      .string()
      .max(1_000_000)
      .optional()
      .describe('The selected option or the entered text of a dialog.'),
    raise: budgetRaise
      .optional()
      .describe(
        'By how much the limit is raised, in its own unit: US dollars, tokens or milliseconds. Only to allow an approval of the kind `budget`. Default: by the limit as it was set at first.',
      ),
    remember: rememberedRule.optional(),
  })
  .describe('Body of `POST approvals/:id`.')

export const approvalResult = z
  .object({
    approvalId: z.string().describe('Id of the approval.'),
    sessionId: z.string().describe('Id of the session.'),
    action: approvalAction,
    outcome: z.literal('answered').describe('The answer arrived in time.'),
  })
  .describe('Response of `POST approvals/:id`.')
