import { z } from 'zod'
import { wholeOf } from './blob-ref.ts'
import { usage } from './usage.ts'

export const textBlock = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  blob: wholeOf('The whole text, where `text` is only its beginning.'),
})
export const thinkingBlock = z.strictObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  redacted: z.boolean().optional().describe('The provider hid it.'),
})
export const toolCallBlock = z.strictObject({
  type: z.literal('toolCall'),
  id: z.string(),
  name: z.string(),
  arguments: z.unknown(),
  blob: wholeOf('The whole arguments, where `arguments` is only their beginning.'),
})
export const imageBlock = z.strictObject({
  type: z.literal('image'),
  data: z.string().describe('Base64; empty where there is a `blob`.'),
  mimeType: z.string(),
  blob: wholeOf('The image itself, where `data` is empty.'),
})
/**
 * A block of a kind that Sluice does not know yet, passed on as the agent gave it; of one that was too
 * large, its beginning, with a `blob` that is the whole block as JSON.
 */
export const otherBlock = z.looseObject({
  type: z.string().refine((type) => !['text', 'thinking', 'toolCall', 'image'].includes(type)),
})

/** One piece of a message. */
export const block = z.union([textBlock, thinkingBlock, toolCallBlock, imageBlock, otherBlock])

export const messageRole = z
  .enum(['user', 'assistant', 'system', 'custom', 'compactionSummary'])
  .describe('Who speaks. `custom` is text that an extension put into the conversation.')

/** Why a message or a run stopped. Further values may come; treat an unknown one as `stop`. */
export const stopReason = z
  .string()
  .describe(
    'stop, length, toolUse, error, aborted, interrupted (the stream ended first), abandoned (see message_withdrawn), refusal, or an agent’s own word.',
  )

/** A whole message, as it stands in the conversation. */
export const message = z.strictObject({
  role: messageRole,
  content: z.array(block),
  model: z.string().optional(),
  provider: z.string().optional(),
  usage: usage.optional(),
  stopReason: stopReason.optional(),
  errorMessage: z.string().optional().describe('How it failed, for people.'),
  timestamp: z.number().optional().describe('The agent’s own clock, in ms, where it gives one.'),
  durationMs: z.number().nonnegative().optional().describe('How long the call took.'),
  nativeId: z.string().optional().describe('The provider’s or agent’s id of this message.'),
  synthetic: z
    .boolean()
    .optional()
    .describe('Written by the agent program, not by a model or person.'),
  replay: z.boolean().optional().describe('An echo of input that was sent to the agent.'),
  customType: z.string().optional().describe('Which extension’s text it is; for `custom` only.'),
})

/** The message that carries a tool’s result back to the model. */
export const toolResultMessage = z.strictObject({
  role: z.literal('toolResult'),
  toolCallId: z.string().describe('The call that it answers.'),
  toolName: z.string(),
  content: z.array(block),
  contentBlob: wholeOf('The whole content, where `content` is only its first blocks.'),
  details: z.unknown().optional().describe('Tool-specific: a diff, a structured result.'),
  detailsBlob: wholeOf('The whole details, where `details` is only their beginning.'),
  isError: z.boolean().describe('Whether the tool failed.'),
})
