import { z } from 'zod'
import { count, queryNumber } from './fields.ts'

export const searchQuery = z
  .strictObject({
    q: z.string().trim().min(1).max(200).describe('The text to find, as one phrase.'),
    limit: queryNumber(1, 200).optional().describe('Maximum number of hits. Default: 50.'),
  })
  .describe('Query of `GET search`.')

export const searchHit = z
  .object({
    sessionId: z.string().describe('Id of the session.'),
    name: z.string().optional().describe('Name of the session.'),
    title: z
      .string()
      .optional()
      .describe('First line of the first prompt: the title of a session without a name.'),
    cwd: z.string().describe('Working directory of the agent.'),
    messageId: z
      .string()
      .optional()
      .describe(
        'Id of the message, or of the last message before the tool call. Absent if the name or the directory of the session matches.',
      ),
    excerpt: z.string().describe('The matched text with its surroundings.'),
  })
  .describe('One match of a search.')

export const searchResult = z
  .object({
    hits: z
      .array(searchHit)
      .describe('Hits by session, newest first; within a session in reading order.'),
    searched: count.describe('Number of sessions that were searched.'),
    truncated: z
      .literal(true)
      .optional()
      .describe('Present if there can be more hits: the limit or the time limit was reached.'),
  })
  .describe('Response of `GET search`.')
