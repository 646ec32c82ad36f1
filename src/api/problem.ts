import { z } from 'zod'

/** One field that is not valid. */
export const problemIssue = z.object({ path: z.string(), message: z.string() })

/** An error as RFC 9457 has it. Further fields may be there. */
export const problemDetails = z.looseObject({
  type: z.string().describe('A URI of the kind of problem.'),
  title: z.string().describe('The kind of problem, for people.'),
  status: z.number().int(),
  code: z.string().describe('The kind of problem, for programs.'),
  detail: z.string().describe('This very problem, for people.'),
  state: z.string().optional().describe('With 409: the state that it is in.'),
  sessionId: z.string().optional().describe('With 404 and 410 of `GET stream`: which one.'),
  retryAfter: z.number().optional().describe('With 429 and 503: seconds to wait.'),
  issues: z.array(problemIssue).optional().describe('With 422: what is not valid, and where.'),
})
