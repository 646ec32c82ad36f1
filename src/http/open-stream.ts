import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Access } from '../auth/auth.ts'
import { credentialsOf, limitKeyOf } from '../auth/gate.ts'
import { dataHeaders } from '../auth/headers.ts'
import type { StreamContext } from './app-context.ts'
import { requireSession } from './require-session.ts'
import type { RouteMatch } from './router.ts'
import { visibleLog } from './visible-log.ts'

/** Responds to an authorized request with an event stream of one session, or of several. */
export const openStream = async (
  { log, streams, limits }: StreamContext,
  { params, query }: RouteMatch,
  access: Access,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { socket } = request
  const { signal, range } = access
  const visible = range ? visibleLog(log, range) : log
  // A client that left during authorization must not count as an open stream.
  if (socket.destroyed) return
  const release = limits.connections.add(limitKeyOf(access, credentialsOf(request)), access.keys)
  socket.once('close', release)
  try {
    for (const [name, value] of Object.entries(dataHeaders)) response.setHeader(name, value)
    const streamRequest = { request, response, signal, after: query.after }
    const { id } = params
    if (id !== undefined) {
      await requireSession(visible, id)
      await streams.open({ ...streamRequest, sessionId: id })
      return
    }
    const sessionIds = (query.sessions ?? '').split(',').filter((each) => each !== '')
    await Promise.all(sessionIds.map((each) => requireSession(visible, each)))
    await streams.openMany({ ...streamRequest, sessionIds, ...(range && { range }) })
  } catch (cause) {
    // The connection stays open for other requests.
    socket.off('close', release)
    release()
    throw cause
  }
}
