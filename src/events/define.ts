import { z } from 'zod'

/** Every event may say which tool call it happened inside: a subagent’s work, or a nested call. */
const parentToolCallId = z
  .string()
  .optional()
  .describe('The call that this happened inside: a subagent’s, or a nested tool’s.')

/** Defines one event: its type, what it means, its fields. */
export const event = <Type extends string, Fields extends z.core.$ZodLooseShape>(
  type: Type,
  meaning: string,
  fields: Fields,
) => z.strictObject({ type: z.literal(type), ...fields, parentToolCallId }).describe(meaning)
