import type { IncomingMessage, ServerResponse } from 'node:http'
import { credentialsOf, type Gate } from '../auth/gate.ts'
import { requireWritable } from '../log/log-status.ts'
import { Problem } from '../shared/problem.ts'
import type { App } from './app.ts'
import type { Phase, StreamContext } from './app-context.ts'
import { awaitPipelined } from './await-pipelined.ts'
import { endpoints, isForRestrictedKeys, isOpen, needsLog } from './endpoints.ts'
import { openStream } from './open-stream.ts'
import { problemOf, stopping } from './problem-of.ts'
import { createRouter } from './router.ts'
import { problemResponse, sendResponse } from './send-response.ts'

export interface RequestHandlerOptions {
  gate: Gate
  streamContext: StreamContext
  /** Loads what serves everything except streams. */
  loadApp(): Promise<App>
  phase(): Phase
  /** Throws a `Problem` 403 for a connection that an agent opened. */
  refuseAgents(request: IncomingMessage): Promise<void>
  /** Called for every request that is not for a stream, before it is served. */
  onRequest(request: IncomingMessage, response: ServerResponse): void
  onError(cause: unknown): void
}

/** Responds to a request; with a problem when it fails. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export const createRequestHandler = (options: RequestHandlerOptions): RequestHandler => {
  const { gate, streamContext, loadApp, phase, refuseAgents, onRequest, onError } = options
  const router = createRouter(Object.values(endpoints))

  /**
   * The order is the same for every path: who opened the connection, host and origin, then the token,
   * then the work.
   */
  const serve: RequestHandler = async (request, response) => {
    const credentials = credentialsOf(request)
    const match = router.match(request.method, request.url)
    if (match instanceof Problem) {
      onRequest(request, response)
      await refuseAgents(request)
      gate.checkOrigin(credentials)
      throw match
    }
    const { endpoint } = match
    if (endpoint.isStream) await awaitPipelined(request, response)
    else onRequest(request, response)
    if (endpoint !== endpoints.health) await refuseAgents(request)
    if (!isOpen(endpoint, phase())) throw stopping()
    const access = await gate.authorize(credentials, endpoint.scope)
    if (access.setCookie !== undefined) response.setHeader('Set-Cookie', access.setCookie)
    if (access.range && !isForRestrictedKeys(endpoint)) throw notForRestrictedKeys()
    if (needsLog(endpoint)) await requireWritable(streamContext.log)
    if (endpoint.isStream) return openStream(streamContext, match, access, request, response)
    const app = await loadApp()
    sendResponse(response, await app.respond({ ...match, access, request }), onError)
  }

  return async (request, response) => {
    try {
      await serve(request, response)
    } catch (cause) {
      const problem = problemOf(cause, onError)
      if (response.headersSent) response.destroy()
      else sendResponse(response, problemResponse(problem), onError)
    }
  }
}

const notForRestrictedKeys = (): Problem =>
  new Problem(
    403,
    'key_limited',
    'This request concerns the whole server, and your key sees only some projects. Use another key.',
  )
