import { z } from 'zod'
import { blobField } from './blob-ref.ts'
import { stopReason } from './message.ts'
import { usage } from './usage.ts'

const contentIndex = z.number().int().nonnegative().describe('Index of the block in the message.')
const delta = z.string().describe('Text to append to the block.')
const toolCallId = z.string().describe('Id of the tool call.')
const name = z.string().describe('Name of the tool.')

export const assistantMessageEvent = z
  .discriminatedUnion('type', [
    z
      .strictObject({ type: z.literal('text_start'), contentIndex })
      .describe('A text block starts.'),
    z
      .strictObject({ type: z.literal('text_delta'), contentIndex, delta })
      .describe('A text block grows.'),
    z
      .strictObject({ type: z.literal('text_end'), contentIndex })
      .describe(
        'A text block is complete. Its text is the sum of its deltas, and is not repeated.',
      ),
    z
      .strictObject({ type: z.literal('thinking_start'), contentIndex })
      .describe('A thinking block starts.'),
    z
      .strictObject({ type: z.literal('thinking_delta'), contentIndex, delta })
      .describe('A thinking block grows.'),
    z
      .strictObject({ type: z.literal('thinking_end'), contentIndex })
      .describe(
        'A thinking block is complete. Its text is the sum of its deltas, and is not repeated.',
      ),
    z
      .strictObject({
        type: z.literal('tool_use_start'),
        contentIndex,
        toolCallId,
        name,
        input: z.unknown().describe('Empty at the start.'),
      })
      .describe('A tool call starts.'),
    z
      .strictObject({
        type: z.literal('tool_use_input_delta'),
        contentIndex,
        toolCallId,
        partialInput: z.string().describe('Text to append to the JSON of the arguments.'),
      })
      .describe('The arguments of a tool call grow.'),
    z
      .strictObject({
        type: z.literal('tool_use_end'),
        contentIndex,
        toolCallId,
        name,
        input: z.unknown().describe('The complete arguments.'),
        blob: blobField(
          'Reference to the complete arguments. Present when `input` is only a preview.',
        ),
      })
      .describe('A tool call is complete.'),
    z
      .strictObject({
        type: z.literal('usage'),
        usage: usage.describe('Usage so far. Replaces the previous one.'),
      })
      .describe('The usage of the model call changed.'),
    z
      .strictObject({ type: z.literal('done'), reason: stopReason.optional() })
      .describe('The message ends successfully.'),
    z
      .strictObject({
        type: z.literal('error'),
        reason: stopReason,
        errorMessage: z.string().optional().describe('Error message for people.'),
      })
      .describe('The message ends with an error.'),
  ])
  .describe(
    'One update of an assistant message while it streams. The last one is always `done` or `error`. Ignore variants that you do not recognise.',
  )
