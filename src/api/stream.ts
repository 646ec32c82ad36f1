import { z } from 'zod'
import { queryNumber } from './fields.ts'

/** `GET sessions/:id/stream` */
export const streamQuery = z.strictObject({
  after: queryNumber(0).optional().describe('A cursor, as `Last-Event-ID`: the last seq seen.'),
})

/** `GET stream` */
export const manyStreamQuery = z.strictObject({
  sessions: z.string().max(20_000).optional().describe('Ids of sessions, with commas between.'),
  after: z.string().max(20_000).optional().describe('Cursors, as `Last-Event-ID`: `<id>:<seq>,…`.'),
})

/** The last seq that was seen of each session. */
export type Cursors = ReadonlyMap<string, number>

/** Cursors as the id of a frame: `<sessionId>:<seq>,<sessionId>:<seq>`. */
export const formatCursors = (cursors: Iterable<readonly [string, number]>): string =>
  [...cursors].map(([sessionId, seq]) => `${sessionId}:${seq}`).join(',')

/** Cursors from such an id; undefined when it is none. */
export const parseCursors = (id: string): Map<string, number> | undefined => {
  const cursors = new Map<string, number>()
  if (id === '') return cursors
  for (const each of id.split(',')) {
    const [, sessionId, digits] = /^(.+):(\d{1,15})$/.exec(each) ?? []
    if (sessionId === undefined) return undefined
    cursors.set(sessionId, Number(digits))
  }
  return cursors
}
