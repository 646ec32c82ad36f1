import { manyStreamQuery, streamQuery } from '../../api/stream.ts'
import { Problem } from '../../shared/problem.ts'
import { sessionParams } from './params.ts'
import { route } from './route.ts'

const tag = 'Streams'
const reply = { status: 200, mediaTypes: ['text/event-stream'] }

/** Only HEAD gets here: the server gives streams to the feeds before it looks. */
const elsewhere = async () => {
  throw new Problem(405, 'method_not_allowed', 'A stream has no end: ask with GET.', undefined, {
    Allow: 'GET',
  })
}

/** Server-Sent Events: in the table for the reference, served on the socket itself. */
export const streamRoutes = [
  route({
    method: 'GET',
    path: '/sessions/:id/stream',
    scope: 'read',
    tag,
    summary: 'The live events of a session, a snapshot first',
    description:
      'With a cursor (`Last-Event-ID` or `after`), a `resume` verdict and exactly what was missed. The stream ends when the token does.',
    parts: { params: sessionParams, query: streamQuery },
    reply,
    problems: ['unknown_session', 'gone', 'too_many_connections'],
    handle: elsewhere,
  }),
  route({
    method: 'GET',
    path: '/stream',
    scope: 'read',
    tag,
    summary: 'Several sessions and what happens to all of them, on one connection',
    description:
      'An `overview` first, then a snapshot of each named session. The id of a frame holds one cursor for each: `<sessionId>:<seq>,…`.',
    parts: { query: manyStreamQuery },
    reply,
    problems: ['unknown_session', 'gone', 'too_many_connections'],
    handle: elsewhere,
  }),
]
