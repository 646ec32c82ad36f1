import { z } from 'zod'
import { queryNumber } from './fields.ts'

/** How a long list is asked for, page by page. */
export const pageQuery = {
  limit: queryNumber(1, 200).optional().describe('How many at most; 50 unless told otherwise.'),
  cursor: z.string().max(500).optional().describe('The `next` of the page before.'),
}

/** Where a list goes on. */
export const next = z
  .string()
  .optional()
  .describe('Pass it as `cursor` for the page behind this one; absent on the last.')
