import { z } from 'zod'
import type { SessionRecord } from '../../log/types.ts'
import { Problem } from '../../shared/problem.ts'

const place = z.strictObject({ createdAt: z.number().int(), id: z.string().min(1) })
type Place = z.infer<typeof place>

/** Where a list of sessions goes on, as a text that means nothing to callers. */
export const formatCursor = ({ createdAt, id }: SessionRecord): string =>
  Buffer.from(JSON.stringify({ createdAt, id })).toString('base64url')

export const parseCursor = (cursor: string): Place => {
  try {
    return place.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof z.ZodError)) throw cause
    throw new Problem(422, 'invalid', 'query.cursor: It is not one that a list gave.', {
      issues: [{ path: 'query.cursor', message: 'It is not one that a list gave.' }],
    })
  }
}
