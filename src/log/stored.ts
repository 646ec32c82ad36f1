import { z } from 'zod'
import { LogFault } from './log-fault.ts'

/** A record that is valid, or a refusal. */
export const checked = <Schema extends z.ZodType>(
  schema: Schema,
  record: unknown,
): z.infer<Schema> => {
  const { success, data, error } = schema.safeParse(record)
  if (success) return data
  const message = `The record is not valid: ${z.prettifyError(error)}`
  throw new LogFault('invalid_record', message, { cause: error })
}

/** A record as it is stored. */
export const pack = <Schema extends z.ZodType>(schema: Schema, record: z.infer<Schema>): string =>
  JSON.stringify(checked(schema, record))

/** A record as it was stored; one that is damaged throws. */
export const unpack = <Schema extends z.ZodType>(schema: Schema, text: string): z.infer<Schema> =>
  schema.parse(JSON.parse(text))
