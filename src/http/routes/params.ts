import { z } from 'zod'

/** The parameter of a path such as `/projects/:id`. */
export const idParams = z.strictObject({ id: z.string().min(1).max(200) })

/** The parameter of a path such as `/sessions/:id/messages`. */
export const sessionParams = z.strictObject({
  id: z.string().min(1).max(200).describe('The id of the session.'),
})
