import { z } from 'zod'
import { messageId, parentToolCallId, sessionId } from './adapter-fields.ts'
import { event } from './define.ts'

const position = {
  contentIndex: z.number().optional().describe('Index of the block in the message.'),
  messageId,
  sessionId,
}

const delta = z.string().describe('Text since the previous delta of this block.')

/** Messages of the main thread, and the usage of every model call. */
export const messageSchemas = {
  message_complete: event(
    'A message of the main thread is complete: a prompt, an answer, or the result of a tool. Projected from the events `message_end` and `tool_result`.',
    z.object({
      eventType: z.literal('message_complete'),
      message: z
        .unknown()
        .describe(
          'The complete message: `role`, `content`, `usage`, `stopReason`, `errorMessage`.',
        ),
      messageId,
      sessionId,
    }),
  ),
  text_complete: event(
    'A block of text is complete. Projected from the `text_end` of a `message_update`; the text is collected from its deltas.',
    z.object({ eventType: z.literal('text_complete'), text: z.string(), ...position }),
  ),
  text_delta: event(
    'The text of the main thread grew. Projected from the `text_delta` of a `message_update`.',
    z.object({ delta, eventType: z.literal('text_delta'), ...position }),
  ),
  thinking_complete: event(
    'A block of thinking is complete. Projected from the `thinking_end` of a `message_update`; the text is collected from its deltas.',
    z.object({ eventType: z.literal('thinking_complete'), text: z.string(), ...position }),
  ),
  thinking_delta: event(
    'The thinking of the main thread grew. Projected from the `thinking_delta` of a `message_update`.',
    z.object({ delta, eventType: z.literal('thinking_delta'), ...position }),
  ),
  usage: event(
    'Usage of one model call, including the calls of subagents. Projected from a `message_end` whose message has a `usage`.',
    z.object({
      eventType: z.literal('usage'),
      usage: z
        .unknown()
        .describe('`input`, `output`, `cacheRead`, `cacheWrite`, `totalTokens`, `cost`.'),
      model: z.string().optional().describe('Name of the model.'),
      messageId,
      parentToolCallId,
      sessionId,
    }),
  ),
}
