import type { IncomingMessage } from 'node:http'
import { credentialsOf } from '../../auth/gate.ts'
import { neverAborts } from '../../auth/lifetimes.ts'
import type { BodyReservation } from '../../auth/limits/body-budget.ts'
import { Problem } from '../../shared/problem.ts'
import type { AppContext, Phase } from '../app-context.ts'
import { createIdempotency } from '../idempotency.ts'
import { stopping } from '../refusal.ts'
import { jsonBody } from './body.ts'
import type { Route, RouteContext, RouteResponse } from './route.ts'

/** Most bytes of a body that is nothing but words. */
const everyday = 256 * 1024
const longestKey = 255

/** One request, with what its path held. */
export interface RouteRequest {
  incoming: IncomingMessage
  params: Record<string, string>
  query: Record<string, string>
}

/** Takes requests through the gate, compares them with their schemas, and has them answered. */
export const createAnswerer = (world: AppContext) => {
  const idempotency = createIdempotency<RouteResponse>({ now: world.now })

  const enter = async (
    route: Route,
    incoming: IncomingMessage,
  ): Promise<RouteContext['access']> => {
    const knock = credentialsOf(incoming)
    if (route.scope !== null)
      return world.gate.authorize(knock, route.scope === 'any' ? undefined : route.scope)
    world.gate.checkOrigin(knock)
    return { scopes: new Set(), signal: neverAborts }
  }

  const answerOf = async (
    route: Route,
    asked: RouteRequest,
    room: BodyReservation,
  ): Promise<RouteResponse> => {
    const { incoming, params, query } = asked
    if (!isOpen(route, world.phase())) throw stopping()
    const access = await enter(route, incoming)
    const { text, value: body } = route.parts.body
      ? await jsonBody(incoming, {
          limit: route.hasLargeBody
            ? world.limits.bodyBytes
            : Math.min(everyday, world.limits.bodyBytes),
          isOptional: route.isBodyOptional === true,
          onSize: room.grow,
        })
      : { text: '', value: undefined }
    const work = route.prepare({ params, query, body }, { world, access })
    const run = async () => {
      // Once more: a body may take longer than the server has left.
      if (!isOpen(route, world.phase())) throw stopping()
      return work()
    }
    const key = route.isIdempotent ? incoming.headers['idempotency-key'] : undefined
    if (key === undefined) return run()
    if (typeof key !== 'string' || key.length === 0 || key.length > longestKey)
      throw new Problem(422, 'invalid', `An Idempotency-Key has 1 to ${longestKey} characters.`)
    const attempt = {
      owner: access.keyId ?? '',
      route: `${route.method} ${route.path} ${JSON.stringify(params)}`,
      key,
      body: text,
    }
    const { answer, isRepeated } = await idempotency.once(attempt, run)
    if (!isRepeated) return answer
    return { ...answer, headers: { ...answer.headers, 'Idempotency-Replayed': 'true' } }
  }

  return async (route: Route, asked: RouteRequest): Promise<RouteResponse> => {
    const room = world.limits.bodies.reserve()
    try {
      return await answerOf(route, asked, room)
    } finally {
      room.release()
    }
  }
}

/** While runs come to their end people may look, decide and abort, but begin nothing. */
const isOpen = ({ method, path, scope }: Route, phase: Phase): boolean => {
  if (phase === 'serving' || path === '/health') return true
  if (phase === 'closing') return false
  return method === 'GET' || scope === 'approve' || path.endsWith('/abort')
}
