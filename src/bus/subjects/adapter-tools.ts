import { z } from 'zod'
import { rememberedRule } from '../../events/approval-rule.ts'
import { blobField } from '../../events/blob-ref.ts'
import { parentToolCallId, sessionId } from './adapter-fields.ts'
import { event, rpc } from './define.ts'

const args = z
  .record(z.string(), z.unknown())
  .optional()
  .describe('Arguments that the tool runs with.')
const toolCallId = z.string().describe('Id of the tool call.')
const toolName = z.string().describe('Name of the tool, in the agent’s own term.')

const approvalRequest = z.object({
  adapterId: z.string().describe('Id of the adapter that sends the request.'),
  adapterName: z.string().describe('Name of the adapter.'),
  adapterSessionId: z.string().describe('The agent’s own id of the session.'),
  agentId: z.string().describe('Id of the agent.'),
  args,
  clientId: z.string().optional().describe('Id of the client that the run is for.'),
  messageId: z.string().optional().describe('Id of the message with the tool call.'),
  occurredAt: z
    .number()
    .optional()
    .describe('When the agent made the request, in milliseconds since 1970.'),
  providerConfigId: z.string().optional().describe('Id of the provider settings in use.'),
  reasoning: z.string().optional().describe('Why the agent makes the request.'),
  sessionId: z
    .string()
    .optional()
    .describe('Id of the session. Absent while the adapter does not know it.'),
  toolCallId: z.string().describe('Id of the tool call that waits for the decision.'),
  toolName: z.string().optional().describe('Name of the tool.'),
  turnId: z.string().optional().describe('Id of the turn with the tool call.'),
})

/** Outside the namespace of an adapter, a request names its session. */
export const globalApprovalRequest = approvalRequest.extend({
  sessionId: z.string().describe('Id of the session.'),
})

const message = z.string().optional().describe('Message to the agent about the decision.')
export const toolApprovalResponse = z.discriminatedUnion('action', [
  z.object({
    action: z.literal('allow'),
    message,
    remember: rememberedRule.optional(),
    updatedInput: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Arguments to run the tool with instead of the requested ones.'),
  }),
  z.object({ action: z.literal('deny'), message }),
])

/** Tools, and the approvals they need. */
export const toolSchemas = {
  tool_approval: rpc(
    'Requests approval before a tool runs. Without a responder, the request goes to `agent.toolApprove`. If it ends without an answer, the tool is denied.',
    approvalRequest,
    toolApprovalResponse,
  ),
  tool_completed: event(
    'A tool ended, with a result or an error. Projected from the event `tool_execution_end`.',
    z.object({
      eventType: z.literal('tool_completed'),
      isError: z.boolean().describe('True if the tool failed or never returned a result.'),
      result: z
        .unknown()
        .describe('Result, as the agent displays it. Null if the tool returned nothing.'),
      toolCallId,
      toolName,
      blob: blobField(
        'Reference to the complete result. Present when `result` is only a preview. A text or an image inside the result can have its own `blob` instead.',
      ),
      durationMs: z
        .number()
        .optional()
        .describe('Duration in milliseconds, measured by the agent.'),
      exitCode: z
        .number()
        .optional()
        .describe('Exit code. Absent if the agent does not report it.'),
      interrupted: z
        .literal(true)
        .optional()
        .describe('Present if the tool never returned a result.'),
      parentToolCallId,
      sessionId,
    }),
  ),
  tool_started: event(
    'A tool starts to run. Projected from the event `tool_execution_start`; if that has no arguments, they come from its `tool_call`.',
    z.object({
      args,
      eventType: z.literal('tool_started'),
      toolCallId,
      toolName,
      blob: blobField(
        'Reference to the complete arguments. Present when `args` is only a preview.',
      ),
      parentToolCallId,
      sessionId,
    }),
  ),
}
