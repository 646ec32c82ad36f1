import { z } from 'zod'
import { queryNumber } from './fields.ts'

/** `GET search` */
export const searchQuery = z.strictObject({
  q: z.string().trim().min(1).max(200).describe('The words, as they follow one another.'),
  limit: queryNumber(1, 200).optional().describe('How many at most; 50 unless told otherwise.'),
})

/** A place where the words occur. */
export const searchHit = z.object({
  sessionId: z.string(),
  name: z.string().optional().describe('What the person called the session.'),
  title: z
    .string()
    .optional()
    .describe('What the session is called without a name: the first line of its first prompt.'),
  cwd: z.string().describe('The directory that its agent works in.'),
  messageId: z
    .string()
    .optional()
    .describe(
      'The message, or the last one before the tool; absent where the session itself fits.',
    ),
  excerpt: z.string().describe('The words with what stands around them.'),
})

export const searchResult = z.object({
  hits: z.array(searchHit).describe('By session, newest first; then in reading order.'),
  searched: z.number().int().nonnegative().describe('How many sessions were looked through.'),
  truncated: z
    .literal(true)
    .optional()
    .describe('There may be more: as many as were asked for were found, or time was up.'),
})
