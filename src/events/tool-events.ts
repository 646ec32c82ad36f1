import { z } from 'zod'
import { wholeOf } from './blob-ref.ts'
import { event } from './define.ts'
import { toolResultMessage } from './message.ts'

const call = {
  toolCallId: z.string().describe('The same in all events of one call.'),
  toolName: z.string().describe('The agent’s own name of the tool.'),
}

export const approvalAction = z.enum(['allow', 'deny'])

export const approvalOutcome = z
  .enum(['answered', 'expired', 'cancelled', 'agent_gone', 'policy'])
  .describe(
    'Somebody answered, the deadline passed, the agent took the question back, the agent is gone, or a rule decided unasked.',
  )

/** A question that is not about one tool call. */
export const approvalDialog = z.strictObject({
  kind: z.string().describe('What sort of answer: confirm, select, input, editor.'),
  title: z.string().optional(),
  message: z.string().optional(),
  options: z.array(z.string()).optional().describe('What can be chosen.'),
  placeholder: z.string().optional().describe('Shown where nothing is typed yet.'),
})

/** What a request for a decision says. */
export const approvalFields = {
  approvalId: z.string().describe('The answer names it.'),
  toolCallId: z.string().optional().describe('The call that waits.'),
  toolName: z.string().optional(),
  args: z.unknown().optional().describe('The arguments that the tool would run with.'),
  reasoning: z.string().optional().describe('Why the agent wants it.'),
  deadline: z.number().optional().describe('When no answer becomes a deny, in ms since 1970.'),
  timeoutMs: z.number().optional().describe('The agent’s own limit, where it has one.'),
  dialog: approvalDialog.optional().describe('A question that is not about one tool call.'),
}

export const toolEvents = [
  event('tool_call', 'The agent has decided to use a tool.', {
    ...call,
    input: z.unknown().describe('The arguments, as the model gave them.'),
    blob: wholeOf('The whole arguments, where `input` is only their beginning.'),
  }),
  event('tool_execution_start', 'The tool begins.', {
    ...call,
    args: z.unknown().optional().describe('The arguments that it runs with.'),
    blob: wholeOf('The whole arguments, where `args` is only their beginning.'),
  }),
  event('tool_execution_update', 'The tool printed something.', {
    ...call,
    outputDelta: z.string().describe('What is new since the last one.'),
    blob: wholeOf('All that is new, where `outputDelta` is only its beginning.'),
    gap: z
      .literal(true)
      .optional()
      .describe('The agent’s window slid past some output that is not here.'),
  }),
  event('tool_execution_end', 'The tool is done.', {
    ...call,
    exitCode: z.number().optional().describe('Only when the agent said it.'),
    isError: z.boolean().optional().describe('Whether it failed, where the agent said so.'),
    result: z.unknown().optional().describe('What it gave, as the agent shows it.'),
    blob: wholeOf(
      'The whole result, where `result` is only its beginning; a text or an image in it may have a `blob` of its own instead.',
    ),
    durationMs: z.number().nonnegative().optional().describe('By the agent’s own clock.'),
    interrupted: z.literal(true).optional().describe('No result ever came.'),
  }),
  event('tool_result', 'The tool’s result has joined the conversation.', {
    message: toolResultMessage,
  }),
  event('approval_request', 'A person must decide before the agent goes on.', approvalFields),
  event('approval_resolved', 'An approval has been decided.', {
    approvalId: z.string().describe('The request that it answers.'),
    toolCallId: z.string().optional().describe('The call that was asked about.'),
    action: approvalAction,
    by: z.string().optional().describe('Who decided.'),
    outcome: approvalOutcome,
    updatedInput: z.unknown().optional().describe('The arguments to run with instead.'),
    message: z.string().optional().describe('What the agent is told about it.'),
  }),
] as const
