import { z } from 'zod'
import { blobField } from '../../events/blob-ref.ts'
import { parentToolCallId, sessionId } from './adapter-routing.ts'
import { event, rpc } from './define.ts'

const args = z
  .record(z.string(), z.unknown())
  .optional()
  .describe('The arguments that the tool runs with.')
const toolCallId = z.string().describe('The same in all that is told of one call.')
const toolName = z.string().describe('The agent’s own name of the tool.')

const approvalRequest = z.object({
  adapterId: z.string().describe('Which adapter asks.'),
  adapterName: z.string().describe('What sort of adapter it is.'),
  adapterSessionId: z.string().describe('The agent’s own session id.'),
  agentId: z.string().describe('Which agent asks.'),
  args,
  clientId: z.string().optional().describe('The client that the run is for.'),
  messageId: z.string().optional().describe('The message that holds the call.'),
  occurredAt: z.number().optional().describe('When the agent asked, in ms since 1970.'),
  providerConfigId: z.string().optional().describe('The provider settings that are in use.'),
  reasoning: z.string().optional().describe('Why the agent wants it.'),
  sessionId: z
    .string()
    .optional()
    .describe('The session; absent while whoever asks does not know it yet.'),
  toolCallId: z.string().describe('The call that waits.'),
  toolName: z.string().optional(),
  turnId: z.string().optional().describe('The turn that holds the call.'),
})

const message = z.string().optional().describe('What the agent is told about it.')
const approvalResponse = z.discriminatedUnion('action', [
  z.object({
    action: z.literal('allow'),
    message,
    remember: z
      .enum(['tool', 'command'])
      .optional()
      .describe(
        'Ask no more in this session: for this tool, or for this tool with the same arguments.',
      ),
    updatedInput: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('The arguments to run with instead.'),
  }),
  z.object({ action: z.literal('deny'), message }),
])

/** What the agent does in the world, and who lets it. */
export const toolSchemas = {
  tool_approval: rpc(
    'May this tool run? Asked before it does. Whoever asks takes every outcome but an answer for a deny.',
    approvalRequest,
    approvalResponse,
  ),
  tool_completed: event(
    'A tool is done, well or badly. From the event `tool_execution_end`.',
    z.object({
      eventType: z.literal('tool_completed'),
      isError: z.boolean().describe('It failed, or its end was never told.'),
      result: z
        .unknown()
        .describe('What it gave, as the agent shows it; null when it gave nothing.'),
      toolCallId,
      toolName,
      blob: blobField(
        'The whole result, where `result` is only its beginning; a text or an image in it may have a `blob` of its own instead.',
      ),
      durationMs: z.number().optional().describe('By the agent’s own clock.'),
      exitCode: z.number().optional().describe('Only when the agent said it.'),
      interrupted: z.literal(true).optional().describe('No result ever came.'),
      parentToolCallId,
      sessionId,
    }),
  ),
  tool_started: event(
    'A tool begins. From the event `tool_execution_start`, with the arguments of its `tool_call` where it has none itself.',
    z.object({
      args,
      eventType: z.literal('tool_started'),
      toolCallId,
      toolName,
      blob: blobField('The whole arguments, where `args` is only their beginning.'),
      parentToolCallId,
      sessionId,
    }),
  ),
}
