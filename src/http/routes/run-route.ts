import type { IncomingMessage } from 'node:http'
import { Problem } from '../../shared/problem.ts'
import type { AppContext, AuthorizedRequest, EndpointHandler } from '../app-context.ts'
import { isOpen } from '../endpoints.ts'
import { createIdempotency } from '../idempotency.ts'
import { stopping } from '../problem-of.ts'
import type { RouteResponse } from '../send-response.ts'
import { visibleApp } from '../visible-app.ts'
import { type JsonBody, readJsonBody } from './json-body.ts'
import type { Route } from './route.ts'

/** The limit of bodies that hold no images or files. */
const smallBodyBytes = 256 * 1024
const maxKeyLength = 255

/** Makes handlers of routes: each reads the body, checks all parts, and runs the route. */
export const createRouteRunner = (app: AppContext): ((route: Route) => EndpointHandler) => {
  const idempotency = createIdempotency<RouteResponse>({ now: app.now })

  const runOnce = async (
    { endpoint: { method, path }, params, access }: AuthorizedRequest,
    key: string | readonly string[],
    body: string,
    run: () => Promise<RouteResponse>,
  ): Promise<RouteResponse> => {
    if (typeof key !== 'string' || key.length === 0 || key.length > maxKeyLength)
      throw new Problem(
        422,
        'invalid',
        `Idempotency-Key must have 1 to ${maxKeyLength} characters.`,
      )
    const { response, isRepeated } = await idempotency.once(
      {
        owner: access.actor.id,
        route: `${method} ${path} ${JSON.stringify(params)}`,
        key,
        body,
      },
      run,
    )
    if (!isRepeated) return response
    return { ...response, headers: { ...response.headers, 'Idempotency-Replayed': 'true' } }
  }

  const run = async (route: Route, authorized: AuthorizedRequest, body: JsonBody) => {
    const { endpoint, params, query, access, request } = authorized
    const actor = { ...access.actor, ...addressOf(request) }
    const work = route.prepare(
      { params, query, body: body.value },
      {
        app: access.range ? visibleApp(app, access.range) : app,
        access,
        actor,
        request,
        audit: (done) => app.recordAction({ ...done, by: actor }),
      },
    )
    const runIfOpen = async () => {
      // Checked again here: a body may take longer to arrive than the server has left.
      if (!isOpen(endpoint, app.phase())) throw stopping()
      return work()
    }
    const key = route.isIdempotent ? request.headers['idempotency-key'] : undefined
    return key === undefined ? runIfOpen() : runOnce(authorized, key, body.text, runIfOpen)
  }

  return (route) => async (authorized) => {
    const { bodies, bodyBytes } = app.limits
    const reservation = bodies.reserve()
    try {
      const body = route.parts.body
        ? await readJsonBody(authorized.request, {
            limit: route.hasLargeBody ? bodyBytes : Math.min(smallBodyBytes, bodyBytes),
            isOptional: route.isBodyOptional === true,
            onSize: reservation.grow,
          })
        : noBody
      return await run(route, authorized, body)
    } finally {
      reservation.release()
    }
  }
}

const noBody: JsonBody = { text: '', value: undefined }

const addressOf = ({ socket: { remoteAddress } }: IncomingMessage): { address?: string } =>
  remoteAddress === undefined ? {} : { address: remoteAddress }
