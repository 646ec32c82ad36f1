import { z } from 'zod'

export const problemIssue = z
  .object({
    path: z.string().describe('Path of the invalid field.'),
    message: z.string().describe('What is wrong with it.'),
  })
  .describe('One invalid field of a request.')

export const problemDetails = z
  .looseObject({
    type: z.string().describe('URI of the kind of problem.'),
    title: z.string().describe('Kind of problem, for people.'),
    status: z.number().int().describe('HTTP status code.'),
    code: z.string().describe('Kind of problem, as a stable code for programs.'),
    detail: z.string().describe('Description of this problem, for people.'),
    state: z.string().optional().describe('With 409: the current state of the resource.'),
    sessionId: z
      .string()
      .optional()
      .describe('With 404 and 410 of `GET stream`: id of the session.'),
    retryAfter: z.number().optional().describe('With 429 and 503: seconds to wait.'),
    issues: z.array(problemIssue).optional().describe('With 422: the invalid fields.'),
  })
  .describe('An error, as RFC 9457 problem details. It can have more fields.')
