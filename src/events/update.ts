import { z } from 'zod'
import { wholeOf } from './blob-ref.ts'
import { stopReason } from './message.ts'
import { usage } from './usage.ts'

const contentIndex = z.number().int().nonnegative().describe('Which block of the message.')
const delta = z.string().describe('What is new since the last delta of this block.')

/** One step of an assistant message while it streams. */
export const assistantMessageEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text_start'), contentIndex }).describe('A text block begins.'),
  z.strictObject({ type: z.literal('text_delta'), contentIndex, delta }).describe('It grows.'),
  z.strictObject({ type: z.literal('text_end'), contentIndex }).describe('It is complete.'),
  z
    .strictObject({ type: z.literal('thinking_start'), contentIndex })
    .describe('A thinking block begins.'),
  z.strictObject({ type: z.literal('thinking_delta'), contentIndex, delta }).describe('It grows.'),
  z.strictObject({ type: z.literal('thinking_end'), contentIndex }).describe('It is complete.'),
  z
    .strictObject({
      type: z.literal('tool_use_start'),
      contentIndex,
      toolCallId: z.string(),
      name: z.string(),
      input: z.unknown().describe('Empty at the start.'),
    })
    .describe('A tool call begins.'),
  z
    .strictObject({
      type: z.literal('tool_use_input_delta'),
      contentIndex,
      toolCallId: z.string(),
      partialInput: z.string().describe('The next piece of the arguments’ JSON text.'),
    })
    .describe('Its arguments grow.'),
  z
    .strictObject({
      type: z.literal('tool_use_end'),
      contentIndex,
      toolCallId: z.string(),
      name: z.string(),
      input: z.unknown().describe('The whole arguments.'),
      blob: wholeOf('The whole arguments, where `input` is only their beginning.'),
    })
    .describe('The tool call is complete.'),
  z
    .strictObject({ type: z.literal('usage'), usage })
    .describe('What the call has used so far; replaces the last one.'),
  z
    .strictObject({ type: z.literal('done'), reason: stopReason.optional() })
    .describe('The message ends well.'),
  z
    .strictObject({
      type: z.literal('error'),
      reason: stopReason,
      errorMessage: z.string().optional(),
    })
    .describe('The message ends badly.'),
])
