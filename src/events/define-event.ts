import { z } from 'zod'

const parentToolCallId = z
  .string()
  .optional()
  .describe(
    'Id of the tool call that the event happened inside. Set for events of subagents and of nested tools.',
  )

/** Defines the schema of one agent event: its type, its description and its fields. */
export const defineEvent = <Type extends string, Fields extends z.core.$ZodLooseShape>(
  type: Type,
  description: string,
  fields: Fields,
) => z.strictObject({ type: z.literal(type), ...fields, parentToolCallId }).describe(description)
