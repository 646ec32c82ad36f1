import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { refusalOf } from '../../log/log-status.ts'
import { Problem } from '../../shared/problem.ts'
import type { AppContext, AuthorizedRequest, EndpointHandler } from '../app-context.ts'
import { isOpen } from '../endpoints.ts'
import { requestToForward, runAtOwner } from '../forwarding.ts'
import {
  commandKeyOf,
  createIdempotency,
  type IdempotentRequest,
  otherBody,
} from '../idempotency.ts'
import { stopping } from '../problem-of.ts'
import type { RouteResponse } from '../send-response.ts'
import { createSharedRequests, replayed } from '../shared-requests.ts'
import { visibleApp } from '../visible-app.ts'
import { visibleLog } from '../visible-log.ts'
import { type JsonBody, readJsonBody } from './json-body.ts'
import type { Route } from './route.ts'
import { receiptResponse } from './send-command.ts'

/** The limit of bodies that hold no images or files. */
const smallBodyBytes = 256 * 1024
const maxKeyLength = 255
/** How long, and how many, receipts of commands with a key are stored. */
const receiptMs = 24 * 60 * 60 * 1000
const maxReceipts = 10_000
const pruneMs = 60_000

/** Runs routes for clients, and for other nodes. */
export interface RouteRunner {
  handlerOf(route: Route): EndpointHandler
  /** Runs a route here for another node. `text`: the body, which that node has checked. */
  runForwarded(
    route: Route,
    authorized: AuthorizedRequest,
    text: string | undefined,
  ): Promise<RouteResponse>
}

/** Makes handlers of routes: each reads the body, checks all parts, and runs the route. */
export const createRouteRunner = (app: AppContext): RouteRunner => {
  const runOnce = createOnceRunner(app)

  const run = async (route: Route, authorized: AuthorizedRequest, body: JsonBody) => {
    const { endpoint, params, query, access, request } = authorized
    const actor = { ...access.actor, ...addressOf(request) }
    const keyed = route.isIdempotent && keyedRequest(authorized, body.text)
    let newId: string = randomUUID()
    const work = route.prepare(
      { params, query, body: body.value },
      {
        app: access.range ? visibleApp(app, access.range) : app,
        access,
        actor,
        request,
        ...(keyed && { once: commandKeyOf(keyed) }),
        newId: () => newId,
        audit: (done) => app.recordAction({ ...done, by: actor }),
      },
    )
    const runIfOpen = async (id = newId) => {
      newId = id
      // Checked again here: a body may take longer to arrive than the server has left.
      if (!isOpen(endpoint, app.phase())) throw stopping()
      return work()
    }
    return keyed ? runOnce(route, keyed, runIfOpen) : runIfOpen()
  }

  const runAnywhere = (
    route: Route,
    authorized: AuthorizedRequest,
    body: JsonBody,
  ): Promise<RouteResponse> => {
    const here = () => run(route, authorized, body)
    const { nodes } = app
    if (!nodes) return here()
    const { range } = authorized.access
    // A restricted key must not learn that there is something which it cannot see, nor on which node.
    const log = range ? visibleLog(app.log, range) : app.log
    return runAtOwner({ log, nodes }, authorized, body.value, {
      here,
      forward() {
        const actor = { ...authorized.access.actor, ...addressOf(authorized.request) }
        return requestToForward(authorized, actor, route.parts.body ? body.text : undefined)
      },
    })
  }

  const handlerOf =
    (route: Route): EndpointHandler =>
    async (authorized) => {
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
        return await runAnywhere(route, authorized, body)
      } finally {
        reservation.release()
      }
    }
  return {
    handlerOf,
    runForwarded(route, authorized, text) {
      if (text === undefined) return run(route, authorized, noBody)
      const value: unknown = text === '' ? {} : JSON.parse(text)
      return run(route, authorized, { text, value })
    },
  }
}

type RunOnce = (
  route: Pick<Route, 'isIdempotent' | 'worksWithoutLog'>,
  request: IdempotentRequest,
  run: (newId?: string) => Promise<RouteResponse>,
) => Promise<RouteResponse>

/** Runs requests with a key once: in this process, on all nodes, and commands also after a restart. */
const createOnceRunner = (app: AppContext): RunOnce => {
  const idempotency = createIdempotency<RouteResponse>({ now: app.now })
  const receipts = createReceiptReader(app)
  const { log, nodes, onError } = app
  const shared = log.shared && nodes && createSharedRequests({ ...log.shared, nodes, onError })
  /** A try at another node may be stored while this one is already on its way. */
  const runOrFind = async (request: IdempotentRequest, run: () => Promise<RouteResponse>) => {
    try {
      return await run()
    } catch (cause) {
      const isStored = cause instanceof Problem && cause.code === 'request_running'
      const earlier = isStored ? await receipts.find(request) : undefined
      if (!earlier) throw cause
      return replayed(earlier)
    }
  }
  return async ({ isIdempotent, worksWithoutLog }, request, run) => {
    const hasReceipt = isIdempotent === 'receipt'
    const { response, isRepeated } = await idempotency.once(
      request,
      () => {
        if (hasReceipt) return runOrFind(request, run)
        if (!shared) return run()
        const status = log.status()
        if (status.state !== 'unreachable') return shared.once(request, run)
        // Nobody can see now whether another node runs it.
        if (!worksWithoutLog) throw refusalOf(status)
        return run()
      },
      () => (hasReceipt ? receipts.find(request) : Promise.resolve(undefined)),
    )
    return isRepeated ? replayed(response) : response
  }
}

/** A request with its `Idempotency-Key`; undefined when it has none. */
const keyedRequest = (
  { endpoint: { method, path }, params, access, request }: AuthorizedRequest,
  body: string,
): IdempotentRequest | undefined => {
  const key: string | readonly string[] | undefined = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || key.length === 0 || key.length > maxKeyLength)
    throw new Problem(422, 'invalid', `Idempotency-Key must have 1 to ${maxKeyLength} characters.`)
  return {
    owner: access.actor.id,
    route: `${method} ${path} ${JSON.stringify(params)}`,
    key,
    body,
  }
}

/** Reads the receipts of commands that were accepted, also before this process. */
const createReceiptReader = ({ log: { commands }, now, onError }: AppContext) => {
  let prunedAt = Number.NEGATIVE_INFINITY
  return {
    async find(request: IdempotentRequest): Promise<RouteResponse | undefined> {
      if (now() - prunedAt > pruneMs) {
        prunedAt = now()
        commands.prune(prunedAt - receiptMs, maxReceipts).catch(onError)
      }
      const { key, hash } = commandKeyOf(request)
      const receipt = await commands.receipt(key)
      if (receipt && receipt.hash !== hash) throw otherBody()
      return receipt && receiptResponse(receipt)
    },
  }
}

const noBody: JsonBody = { text: '', value: undefined }

const addressOf = ({ socket: { remoteAddress } }: IncomingMessage): { address?: string } =>
  remoteAddress === undefined ? {} : { address: remoteAddress }
