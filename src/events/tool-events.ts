import { z } from 'zod'
import { event } from './define.ts'
import { toolResultMessage } from './message.ts'

const call = { toolCallId: z.string(), toolName: z.string() }

export const approvalAction = z.enum(['allow', 'deny'])

export const toolEvents = [
  event('tool_call', 'The agent has decided to use a tool.', { ...call, input: z.unknown() }),
  event('tool_execution_start', 'The tool begins.', { ...call, args: z.unknown().optional() }),
  event('tool_execution_update', 'The tool printed something.', {
    ...call,
    outputDelta: z.string().describe('What is new since the last one.'),
    gap: z
      .literal(true)
      .optional()
      .describe('The agent’s window slid past some output that is not here.'),
  }),
  event('tool_execution_end', 'The tool is done.', {
    ...call,
    exitCode: z.number().optional().describe('Only when the agent said it.'),
    isError: z.boolean().optional(),
    result: z.unknown().optional(),
    durationMs: z.number().nonnegative().optional(),
    interrupted: z.literal(true).optional().describe('No result ever came.'),
  }),
  event('tool_result', 'The tool’s result has joined the conversation.', {
    message: toolResultMessage,
  }),
  event('approval_request', 'A person must decide before the agent goes on.', {
    approvalId: z.string(),
    toolCallId: z.string().optional(),
    toolName: z.string().optional(),
    args: z.unknown().optional(),
    reasoning: z.string().optional(),
    deadline: z.number().optional().describe('When no answer becomes a deny, in ms since 1970.'),
    timeoutMs: z.number().optional().describe('The agent’s own limit, where it has one.'),
    dialog: z
      .strictObject({
        kind: z.string(),
        title: z.string().optional(),
        message: z.string().optional(),
        options: z.array(z.string()).optional(),
        placeholder: z.string().optional(),
      })
      .optional()
      .describe('A question that is not about one tool call.'),
  }),
  event('approval_resolved', 'It has been decided.', {
    approvalId: z.string(),
    toolCallId: z.string().optional(),
    action: approvalAction,
    by: z.string().optional(),
    outcome: z.enum(['answered', 'expired', 'cancelled', 'agent_gone', 'policy']),
    updatedInput: z.unknown().optional(),
    message: z.string().optional(),
  }),
] as const
