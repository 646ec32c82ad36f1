import { z } from 'zod'

/** A point in time. The description says which. */
export const time = (description: string) =>
  z.number().int().describe(`${description}, in milliseconds since 1970.`)

/** A number of things. */
export const count = z.number().int().nonnegative()

/** A name that a person gives to something. */
export const label = z.string().trim().min(1).max(200)

/** Which agent works where: the fields of a new session and of a new loop. */
export const newWork = {
  projectId: z.string().min(1).max(200).describe('Id of the project.'),
  agent: z.string().min(1).max(100).describe('Name of an agent of `GET agents`.'),
  model: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Name of the model. Default: the agent’s own choice.'),
}

/** A number in a query string, where every value is text. */
export const queryNumber = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  z.coerce.number().int().min(minimum).max(maximum)

/** The query parameters of a paged list. */
export const pageQuery = {
  limit: queryNumber(1, 200).optional().describe('Maximum number of items. Default: 50.'),
  cursor: z.string().max(500).optional().describe('The `next` value of the previous page.'),
}

/** The field that leads to the next page of a list. */
export const next = z
  .string()
  .optional()
  .describe('Pass it as `cursor` to get the next page. Absent on the last page.')
