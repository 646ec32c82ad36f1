import { z } from 'zod'

/** Which session a payload belongs to; what comes from a session always has it. */
export const sessionId = z.string().optional().describe('The session that it belongs to.')

/** Which message a payload is about. */
export const messageId = z.string().optional().describe('The message that it is about.')

/** Set on what a subagent or a nested tool did. */
export const parentToolCallId = z
  .string()
  .optional()
  .describe('The call that this happened inside: a subagent’s, or a nested tool’s.')
