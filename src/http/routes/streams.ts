import { manyStreamQuery, streamQuery } from '../../api/stream.ts'
import { endpoints } from '../endpoints.ts'
import { sessionParams } from './params.ts'
import type { RouteDescription } from './route.ts'

const tag = 'Streams'
const reply = { status: 200, mediaTypes: ['text/event-stream'] }

/** Server-Sent Events. Described here for the reference; `open-stream.ts` opens them. */
export const streamDescriptions: readonly RouteDescription[] = [
  {
    endpoint: endpoints.streamSession,
    tag,
    summary: 'Stream the events of a session',
    description:
      'The first event is a snapshot. The id of each frame is a cursor. With a cursor (`Last-Event-ID` or `after`), it is `resume`, followed by the events that the client missed, or by a snapshot if the session does not have the event of the cursor. The stream ends when the token expires.',
    parts: { params: sessionParams, query: streamQuery },
    reply,
    problems: ['unknown_session', 'gone', 'too_many_connections', 'quota_exceeded'],
  },
  {
    endpoint: endpoints.streamSessions,
    tag,
    summary: 'Stream several sessions and an overview of all sessions on one connection',
    description:
      'The first event is an `overview`, followed by a snapshot of each session in `sessions`. The id of each frame of a session holds the cursors of all requested sessions; with more than 16, the last frame of each write does.',
    parts: { query: manyStreamQuery },
    reply,
    problems: ['unknown_session', 'gone', 'too_many_connections', 'quota_exceeded'],
  },
]
