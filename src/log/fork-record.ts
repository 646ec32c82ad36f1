import { z } from 'zod'
import { forkFields } from '../events/fork.ts'

/** What the record of a session has about copies of conversations. */
export const forkRecordFields = {
  ...forkFields,
  forkedNativeId: z
    .string()
    .optional()
    .describe(
      'The agent’s own id of the conversation to copy. It counts until the session has a `nativeId`.',
    ),
  forkedAt: z
    .string()
    .optional()
    .describe('The agent’s own id of the point where the copy ends. If it is absent: at the end.'),
}
