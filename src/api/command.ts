import { z } from 'zod'

export const promptImage = z.strictObject({
  data: z.base64().min(1).describe('The image in Base64.'),
  mimeType: z
    .string()
    .regex(/^image\/[a-z0-9.+-]+$/)
    .describe('image/png, image/jpeg, …'),
})

/** `POST sessions/:id/prompt`, `steer` and `follow-up`. */
export const promptBody = z.strictObject({
  text: z.string().min(1).max(1_000_000),
  images: z.array(promptImage).max(20).optional(),
})

/** `POST sessions/:id/compact` */
export const compactBody = z.strictObject({
  instructions: z.string().max(100_000).optional().describe('What the summary should keep.'),
})

/** `POST sessions/:id/model` */
export const modelBody = z
  .strictObject({
    model: z.string().min(1).max(200).optional(),
    thinkingLevel: z.string().min(1).max(100).optional().describe('In the agent’s own word.'),
  })
  .refine((body) => body.model !== undefined || body.thinkingLevel !== undefined, {
    message: 'model or thinkingLevel must be there',
  })

/** The 202 of all of these: the agent took it. What comes of it is told by the stream. */
export const accepted = z.object({
  sessionId: z.string(),
  outcome: z.literal('accepted'),
  seq: z
    .int()
    .nonnegative()
    .describe(
      'The last event before it. As `after` of the stream: what comes of it, from its start.',
    ),
})
