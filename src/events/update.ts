import { z } from 'zod'
import { stopReason } from './message.ts'
import { usage } from './usage.ts'

const contentIndex = z.number().int().nonnegative().describe('Which block of the message.')
const delta = z.string().describe('What is new since the last delta of this block.')

/** One step of an assistant message while it streams. */
export const assistantMessageEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text_start'), contentIndex }),
  z.strictObject({ type: z.literal('text_delta'), contentIndex, delta }),
  z.strictObject({ type: z.literal('text_end'), contentIndex }),
  z.strictObject({ type: z.literal('thinking_start'), contentIndex }),
  z.strictObject({ type: z.literal('thinking_delta'), contentIndex, delta }),
  z.strictObject({ type: z.literal('thinking_end'), contentIndex }),
  z.strictObject({
    type: z.literal('tool_use_start'),
    contentIndex,
    toolCallId: z.string(),
    name: z.string(),
    input: z.unknown().describe('Empty at the start.'),
  }),
  z.strictObject({
    type: z.literal('tool_use_input_delta'),
    contentIndex,
    toolCallId: z.string(),
    partialInput: z.string().describe('The next piece of the arguments’ JSON text.'),
  }),
  z.strictObject({
    type: z.literal('tool_use_end'),
    contentIndex,
    toolCallId: z.string(),
    name: z.string(),
    input: z.unknown().describe('The whole arguments.'),
  }),
  z.strictObject({ type: z.literal('usage'), usage }),
  z.strictObject({ type: z.literal('done'), reason: stopReason.optional() }),
  z.strictObject({
    type: z.literal('error'),
    reason: stopReason,
    errorMessage: z.string().optional(),
  }),
])
export type AssistantMessageEvent = z.infer<typeof assistantMessageEvent>
