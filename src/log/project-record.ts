import { z } from 'zod'

/** A directory that sessions work in, under a name. */
export const projectRecord = z.strictObject({
  id: z.string().min(1),
  name: z.string().min(1).describe('What the person called it.'),
  path: z.string().min(1).describe('The directory, absolute.'),
  createdAt: z.number().int().describe('In ms since 1970.'),
})
