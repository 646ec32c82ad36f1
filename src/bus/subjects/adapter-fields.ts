import { z } from 'zod'

/** The session of a payload. Present whenever a session emits it. */
export const sessionId = z.string().optional().describe('Id of the session.')

/** The message of a payload. */
export const messageId = z.string().optional().describe('Id of the message.')

/** Set on what a subagent or a nested tool does. */
export const parentToolCallId = z
  .string()
  .optional()
  .describe(
    'Id of the tool call that this happened inside. Set for subagents and for nested tools.',
  )
