import { z } from 'zod'

/** The fields of a session about copies of conversations. */
export const forkFields = {
  forkedFrom: z
    .string()
    .optional()
    .describe('Id of the session whose conversation this one continues. That one stays as it is.'),
  forkedBefore: z
    .string()
    .optional()
    .describe(
      'Id of the message of `forkedFrom` that the copy ends before. If it is absent, everything was copied.',
    ),
  canFork: z
    .boolean()
    .optional()
    .describe(
      'Whether a copy of the conversation can be continued, as the agent reported it. If it is absent, `GET agents` says it.',
    ),
}
