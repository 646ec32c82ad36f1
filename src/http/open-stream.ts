import type { IncomingMessage, ServerResponse } from 'node:http'
import { credentialsOf, limitKeyOf } from '../auth/gate.ts'
import { dataHeaders } from '../auth/headers.ts'
import { Problem } from '../shared/problem.ts'
import type { StreamContext } from './app-context.ts'
import { awaitPipelined } from './await-pipelined.ts'
import { stopping } from './refusal.ts'
import type { StreamPath } from './stream-path.ts'

/** Opens streams on the socket itself, once whoever asks has passed the gate. */
export const createStreamOpener = (world: StreamContext) => {
  const { feeds, gate, limits } = world

  return async (
    { sessionId, query }: StreamPath,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    if (world.phase() === 'closing') throw stopping()
    const { socket } = request
    await awaitPipelined(request, response)
    const knock = credentialsOf(request)
    const access = await gate.authorize(knock, 'read')
    // Whoever has gone meanwhile is told nothing, and takes no place.
    if (socket.destroyed) return
    const leave = limits.connections.add(limitKeyOf(access, knock))
    socket.once('close', leave)
    try {
      for (const [name, value] of Object.entries(dataHeaders)) response.setHeader(name, value)
      const asked = {
        request,
        response,
        signal: access.signal,
        after: query.get('after') ?? undefined,
      }
      if (sessionId !== undefined) {
        await checkHere(world, sessionId)
        await feeds.open({ ...asked, sessionId })
      } else {
        const ids = (query.get('sessions') ?? '').split(',').filter((id) => id !== '')
        await Promise.all(ids.map((id) => checkHere(world, id)))
        await feeds.openMany({ ...asked, sessionIds: ids })
      }
    } catch (cause) {
      // The connection may go on to other requests.
      socket.off('close', leave)
      leave()
      throw cause
    }
  }
}

/** Refuses a stream of a session that is not here, or no longer. */
const checkHere = async ({ log }: StreamContext, id: string): Promise<void> => {
  const record = await log.sessions.get(id)
  if (!record)
    throw new Problem(404, 'unknown_session', `There is no session ${id}.`, { sessionId: id })
  if (record.removedAt !== undefined)
    throw new Problem(410, 'gone', 'The session was removed.', { sessionId: id })
}
