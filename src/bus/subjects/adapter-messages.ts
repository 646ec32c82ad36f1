import { z } from 'zod'
import { messageId, parentToolCallId, sessionId } from './adapter-routing.ts'
import { event } from './define.ts'

const where = {
  contentIndex: z.number().optional().describe('Which block of the message.'),
  messageId,
  sessionId,
}

/** What the agent says on its main thread, and what it costs. */
export const messageSchemas = {
  message_complete: event(
    'A message of the main thread is complete: a prompt, an answer, or a tool’s result. From the events `message_end` and `tool_result`.',
    z.object({
      eventType: z.literal('message_complete'),
      message: z
        .unknown()
        .describe('The whole message: `role`, `content`, `usage`, `stopReason`, `errorMessage`.'),
      messageId,
      sessionId,
    }),
  ),
  text_complete: event(
    'A block of text is complete. From the `text_end` of a `message_update`, with the text gathered from its deltas.',
    z.object({ eventType: z.literal('text_complete'), text: z.string(), ...where }),
  ),
  text_delta: event(
    'The answer on the main thread grows. From the `text_delta` of a `message_update`.',
    z.object({
      delta: z.string().describe('What is new since the last delta of this block.'),
      eventType: z.literal('text_delta'),
      ...where,
    }),
  ),
  thinking_complete: event(
    'A block of thinking is complete. From the `thinking_end` of a `message_update`, with the text gathered from its deltas.',
    z.object({ eventType: z.literal('thinking_complete'), text: z.string(), ...where }),
  ),
  thinking_delta: event(
    'The thinking on the main thread grows. From the `thinking_delta` of a `message_update`.',
    z.object({
      delta: z.string().describe('What is new since the last delta of this block.'),
      eventType: z.literal('thinking_delta'),
      ...where,
    }),
  ),
  usage: event(
    'What one model call used, subagents’ calls included. From a `message_end` whose message has a `usage`.',
    z.object({
      eventType: z.literal('usage'),
      usage: z
        .unknown()
        .describe('`input`, `output`, `cacheRead`, `cacheWrite`, `totalTokens`, `cost`.'),
      model: z.string().optional().describe('The model that was called.'),
      messageId,
      parentToolCallId,
      sessionId,
    }),
  ),
}
