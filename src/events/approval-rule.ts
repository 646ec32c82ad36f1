import { z } from 'zod'

export const ruleTool = z
  .string()
  .min(1)
  .max(200)
  .describe('Name of the tool, exactly as the agent calls it.')

export const rulePattern = z
  .string()
  .min(1)
  .max(10_000)
  .describe(
    'Which calls the rule covers. For commands: the words of the command, such as `npm test`; a last word `*` stands for any further words, as in `git diff *`. For files: a path, or a directory and `/**` for everything below it. Absent: every call of the tool.',
  )

export const ruleScope = z
  .enum(['session', 'project'])
  .describe(
    '`session`: holds for one session, until the server stops. `project`: is stored, and holds for every session in the directory.',
  )

export const ruleEffect = z
  .enum(['allow', 'ask', 'deny'])
  .describe('What happens to a call. `deny` beats `ask`, and `ask` beats `allow`.')

export const ruleSuggestion = z
  .strictObject({ tool: ruleTool, pattern: rulePattern.optional() })
  .describe('Which calls a rule allows.')

export const rememberedRule = z
  .strictObject({
    scope: ruleScope,
    rule: ruleSuggestion,
  })
  .describe('A rule that allows later calls, too. It must cover the call that is answered.')

export const approvalMode = z
  .enum(['ask', 'allow-reads', 'allow-edits', 'allow', 'deny'])
  .describe(
    'How calls are decided that no rule covers. `ask`: a person decides. `allow-reads`: tools that only read inside the project run. `allow-edits`: tools that edit files inside the project run, too. `allow`: everything runs. `deny`: nothing runs.',
  )
