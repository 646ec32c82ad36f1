import { z } from 'zod'
import {
  approvalMode,
  ruleEffect,
  rulePattern,
  ruleScope,
  ruleTool,
} from '../events/approval-rule.ts'
import { time } from './fields.ts'

export const approvalRule = z
  .object({
    id: z.string().describe('Id of the rule.'),
    scope: ruleScope,
    directory: z.string().optional().describe('Directory that a rule of a project holds in.'),
    effect: ruleEffect,
    tool: ruleTool,
    pattern: rulePattern.optional(),
    createdAt: time('When the rule was added').optional(),
    by: z.string().optional().describe('Who added the rule.'),
  })
  .describe('A rule that decides approvals without a person.')

export const ruleList = z
  .object({
    mode: approvalMode,
    rules: z.array(approvalRule).describe('Rules that hold, those of the session first.'),
    warning: z
      .string()
      .optional()
      .describe(
        'Why the stored rules cannot be read. While they cannot, every call is asked or denied.',
      ),
  })
  .describe('Response of `GET sessions/:id/rules` and `GET projects/:id/rules`.')

export const newProjectRule = z
  .strictObject({ effect: ruleEffect, tool: ruleTool, pattern: rulePattern.optional() })
  .describe('Body of `POST projects/:id/rules`.')

export const newSessionRule = z
  .strictObject({ ...newProjectRule.shape, scope: ruleScope.optional() })
  .describe('Body of `POST sessions/:id/rules`.')
