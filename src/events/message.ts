import { z } from 'zod'
import { blobField } from './blob-ref.ts'
import { usage } from './usage.ts'

export const textBlock = z
  .strictObject({
    type: z.literal('text'),
    text: z.string().describe('The text.'),
    blob: blobField('Reference to the complete text. Present when `text` is only a preview.'),
  })
  .describe('Text.')

export const thinkingBlock = z
  .strictObject({
    type: z.literal('thinking'),
    thinking: z.string().describe('The text of the thinking.'),
    redacted: z.boolean().optional().describe('True if the provider hides the text.'),
  })
  .describe('The thinking of a model.')

export const toolCallBlock = z
  .strictObject({
    type: z.literal('toolCall'),
    id: z.string().describe('Id of the tool call.'),
    name: z.string().describe('Name of the tool.'),
    arguments: z.unknown().describe('Arguments from the model.'),
    blob: blobField(
      'Reference to the complete arguments. Present when `arguments` is only a preview.',
    ),
  })
  .describe('A tool call.')

export const imageBlock = z
  .strictObject({
    type: z.literal('image'),
    data: z.string().describe('The image in Base64. Empty if there is a `blob`.'),
    mimeType: z.string().describe('Media type of the image, such as `image/png`.'),
    blob: blobField('Reference to the image. Present when `data` is empty.'),
  })
  .describe('An image.')

export const attachedFileBlock = z
  .strictObject({
    type: z.literal('attachedFile'),
    name: z.string().describe('Name of the file.'),
    mimeType: z
      .string()
      .describe('Media type of the file, by its content: `text/plain` or `application/pdf`.'),
    data: z.string().describe('The file in Base64. Empty if there is a `blob`.'),
    blob: blobField('Reference to the file. Present when `data` is empty.'),
  })
  .describe('A file that a person sent with a prompt, and that is not an image.')

export const otherBlock = z
  .looseObject({
    type: z
      .string()
      .refine((type) => !['text', 'thinking', 'toolCall', 'image'].includes(type))
      .describe('The agent’s own term for this kind of block.'),
  })
  .describe('A block of a kind that Sluice does not recognise, unchanged.')

export const block = z
  .union([textBlock, thinkingBlock, toolCallBlock, imageBlock, attachedFileBlock, otherBlock])
  .describe(
    'One block of a message. A block of an unrecognised kind is passed on unchanged; if it is too large, it is a preview, and its `blob` refers to the complete block as JSON.',
  )

export const messageRole = z
  .enum(['user', 'assistant', 'system', 'custom', 'compactionSummary'])
  .describe('Author of the message. `custom` is text that an extension added to the conversation.')

export const delivery = z
  .enum(['sent', 'taken', 'failed'])
  .describe(
    'How far a message came that was sent through Sluice. `sent`: it is on its way to the agent. `taken`: the agent works on it. `failed`: the agent did not take it, and `errorMessage` says why.',
  )

export const stopReason = z
  .string()
  .describe(
    'Why a message, a turn or a run stopped: `stop`, `length`, `toolUse`, `error`, `aborted`, `interrupted`, `abandoned`, `refusal`, or a value of the agent. Treat an unknown value as `stop`.',
  )

export const message = z
  .strictObject({
    role: messageRole,
    content: z
      .array(block)
      .describe('Blocks of the message: a list for every role, also if a person wrote only text.'),
    model: z.string().optional().describe('Model that wrote the message.'),
    provider: z.string().optional().describe('Provider of the model.'),
    usage: usage.optional().describe('Usage of the model call.'),
    stopReason: stopReason.optional(),
    errorMessage: z
      .string()
      .optional()
      .describe('Error message for people, if the message failed.'),
    errorDetails: z
      .string()
      .optional()
      .describe('The error as the agent reports it, if `errorMessage` is only a part of it.'),
    timestamp: z
      .number()
      .optional()
      .describe('Time of the message by the agent’s clock, in milliseconds since 1970.'),
    durationMs: z
      .number()
      .nonnegative()
      .optional()
      .describe('Duration of the model call, in milliseconds.'),
    nativeId: z.string().optional().describe('Id of the message at the provider or in the agent.'),
    synthetic: z
      .boolean()
      .optional()
      .describe('True if the agent program wrote the message, not a model or a person.'),
    replay: z
      .boolean()
      .optional()
      .describe('True if the message repeats input that was sent to the agent.'),
    by: z
      .string()
      .optional()
      .describe('Who sent the message. Only for the role `user`, if it came through Sluice.'),
    delivery: delivery
      .optional()
      .describe(
        'How far the message came. Only for the role `user`, if it came through Sluice. `message_delivery` reports each change.',
      ),
    customType: z
      .string()
      .optional()
      .describe('Extension that wrote the message. Only for the role `custom`.'),
  })
  .describe('A complete message of the conversation.')

export const toolResultMessage = z
  .strictObject({
    role: z.literal('toolResult'),
    toolCallId: z.string().describe('Id of the tool call.'),
    toolName: z.string().describe('Name of the tool.'),
    content: z.array(block).describe('Blocks of the result.'),
    contentBlob: blobField(
      'Reference to the complete content. Present when `content` has only the first blocks.',
    ),
    details: z
      .unknown()
      .optional()
      .describe(
        'Data that depends on the tool. That of an edit has the unified diff of the file as `diff`, for every agent that reports what it changed.',
      ),
    detailsBlob: blobField(
      'Reference to the complete details. Present when `details` is only a preview.',
    ),
    output: z
      .string()
      .optional()
      .describe(
        'The complete output of the call, where the agent gave the model only a part of it and stored the rest in a file.',
      ),
    outputBlob: blobField(
      'Reference to the complete output. Present when `output` is only a preview.',
    ),
    outputSize: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe('Size of the complete output in bytes. At most 8 MB of it are stored.'),
    isError: z.boolean().describe('True if the tool failed.'),
    interrupted: z
      .literal(true)
      .optional()
      .describe('Present if the call was cut short and the agent reported no result.'),
    timestamp: z
      .number()
      .optional()
      .describe('Time of the result by the agent’s clock, in milliseconds since 1970.'),
  })
  .describe('The message that returns the result of a tool to the model.')
