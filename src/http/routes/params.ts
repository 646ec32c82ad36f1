import { z } from 'zod'

/** A path that names one thing. */
export const idParams = z.strictObject({ id: z.string().min(1).max(200) })

/** A session’s id in a path. */
export const sessionParams = z.strictObject({
  id: z.string().min(1).max(200).describe('The session.'),
})
