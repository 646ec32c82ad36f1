import { z } from 'zod'
import { queueItem } from '../events/flow-events.ts'
import { modeChoice } from '../events/start-options.ts'

export const attachedImage = z
  .strictObject({
    data: z.base64().min(1).describe('The image in Base64.'),
    mimeType: z
      .string()
      .regex(/^image\/[a-z0-9.+-]+$/)
      .describe('Media type of the image, such as `image/png` or `image/jpeg`.'),
  })
  .describe('An image that is sent with a prompt.')

export const attachedFile = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[^\p{Cc}]*$/u)
      .describe('Name of the file. The type of the file is found by its content.'),
    data: z.base64().min(1).describe('The file in Base64.'),
  })
  .describe('A file that is sent with a prompt: text, a PDF file, or an image.')

export const promptBody = z
  .strictObject({
    text: z.string().min(1).max(1_000_000).describe('Text of the message.'),
    images: z.array(attachedImage).max(20).optional().describe('Images to send with the text.'),
    files: z
      .array(attachedFile)
      .max(20)
      .optional()
      .describe('Files to send with the text: text in UTF-8 up to 1 MB, PDF files up to 10 MB.'),
  })
  .describe('Body of `POST sessions/:id/prompt`, `steer` and `follow-up`.')

export const queueEdit = z
  .strictObject({ text: promptBody.shape.text })
  .describe('Body of `PATCH sessions/:id/queue/:messageId`.')

export const queueList = z
  .object({
    sessionId: z.string().describe('Id of the session.'),
    items: z.array(queueItem).describe('The messages, in the order of delivery.'),
  })
  .describe('Response of `GET sessions/:id/queue`.')

export const compactBody = z
  .strictObject({
    instructions: z.string().max(100_000).optional().describe('What the summary should include.'),
  })
  .describe('Body of `POST sessions/:id/compact`.')

export const modelBody = z
  .strictObject({
    model: z.string().min(1).max(200).optional().describe('Name of the model.'),
    thinkingLevel: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('How much the model may think, in the agent’s own term.'),
  })
  .refine((body) => body.model !== undefined || body.thinkingLevel !== undefined, {
    message: 'Set model or thinkingLevel.',
  })
  .describe('Body of `POST sessions/:id/model`. At least one field is required.')

export const modelList = z
  .object({
    sessionId: z.string().describe('Id of the session.'),
    models: z.array(z.string()).describe('Model names that `POST sessions/:id/model` accepts.'),
    isComplete: z
      .boolean()
      .describe('True if the agent listed the models. Otherwise they are from earlier sessions.'),
  })
  .describe('Response of `GET sessions/:id/models`.')

export const modeBody = z
  .strictObject({
    mode: z.string().min(1).max(500).describe('The mode, in the agent’s own term.'),
  })
  .describe('Body of `POST sessions/:id/mode`.')

export const modeList = z
  .object({
    sessionId: z.string().describe('Id of the session.'),
    mode: z.string().optional().describe('The mode of the session. Absent if it is not known.'),
    modes: z.array(modeChoice).describe('Modes that `POST sessions/:id/mode` accepts.'),
  })
  .describe('Response of `GET sessions/:id/modes`.')

export const switchBody = z
  .strictObject({
    autoCompaction: z
      .boolean()
      .optional()
      .describe('Whether the agent summarizes a long conversation by itself.'),
    autoRetry: z
      .boolean()
      .optional()
      .describe('Whether the agent calls the model again by itself after an error.'),
  })
  .refine((body) => Object.keys(body).length > 0, {
    message: 'Set autoCompaction or autoRetry.',
  })
  .describe('Body of `POST sessions/:id/switches`. At least one field is required.')

export const shellBody = z
  .strictObject({
    command: z.string().min(1).max(100_000).describe('The shell command.'),
  })
  .describe('Body of `POST sessions/:id/shell`.')

export const accepted = z
  .object({
    sessionId: z.string().describe('Id of the session.'),
    outcome: z.literal('accepted').describe('The command was accepted.'),
    seq: z
      .int()
      .nonnegative()
      .describe(
        'The `seq` of the last event before the command. Pass it as `after` to a stream to get all its effects.',
      ),
    interrupted: z
      .literal(true)
      .optional()
      .describe(
        'Only in the response to a request that was sent again with its `Idempotency-Key`: the first one was stored, but Sluice or the agent ended before the agent confirmed it. It is not sent again. The session shows the message and the error.',
      ),
  })
  .describe('Response of a command. Its effects arrive as events.')
