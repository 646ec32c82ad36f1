import { z } from 'zod'
import type { SessionRecord } from '../../log/types.ts'
import { Problem } from '../../shared/problem.ts'

const sessionPosition = z.strictObject({ createdAt: z.number().int(), id: z.string().min(1) })
type SessionPosition = z.infer<typeof sessionPosition>

/** The cursor of the page behind a session. Callers pass it back unread. */
export const formatCursor = ({ createdAt, id }: SessionRecord): string =>
  Buffer.from(JSON.stringify({ createdAt, id })).toString('base64url')

/** Throws a `Problem` 422 for a cursor that `formatCursor` did not make. */
export const parseCursor = (cursor: string): SessionPosition => {
  try {
    return sessionPosition.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof z.ZodError)) throw cause
    const message = 'Invalid cursor. Use the `next` value of the previous page.'
    throw new Problem(422, 'invalid', `query.cursor: ${message}`, {
      issues: [{ path: 'query.cursor', message }],
    })
  }
}
