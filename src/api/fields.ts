import { z } from 'zod'

/** A moment. */
export const time = z.number().int().describe('In ms since 1970.')

/** What a person calls something. */
export const label = z.string().trim().min(1).max(200)

/** A number as it stands in a query, where everything is text. */
export const queryNumber = (least: number, most = Number.MAX_SAFE_INTEGER) =>
  z.coerce.number().int().min(least).max(most)
