import { z } from 'zod'
import { forkFields } from '../events/fork.ts'

/** What the record of a session has about conversations from before the session, and copies of them. */
export const forkRecordFields = {
  ...forkFields,
  forkedNativeId: z
    .string()
    .optional()
    .describe(
      'The agent’s own id of the conversation to copy. It counts until the session has a `nativeId`.',
    ),
  continuedNativeId: z
    .string()
    .optional()
    .describe(
      'The agent’s own id of a conversation that it had before the session. It counts until the session has a `nativeId`.',
    ),
  forkedAt: z
    .string()
    .optional()
    .describe('The agent’s own id of the point where the copy ends. If it is absent: at the end.'),
}
