/** The last received `seq` of each session. */
export type Cursors = ReadonlyMap<string, number>

/** Cursors as an SSE event id: `<sessionId>:<seq>,<sessionId>:<seq>`. */
export const formatCursors = (cursors: Iterable<readonly [string, number]>): string =>
  [...cursors].map(([sessionId, seq]) => `${sessionId}:${seq}`).join(',')

/** Reads cursors from an SSE event id; undefined if the id is invalid. */
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
