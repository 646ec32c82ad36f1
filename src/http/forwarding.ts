import type { IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { requireScope } from '../auth/gate.ts'
import type { Actor, WatchedFrom } from '../events/types.ts'
import { Fault } from '../shared/fault.ts'
import { Problem } from '../shared/problem.ts'
import { machineLost } from '../watch/takeover.ts'
import type { AppContext, AuthorizedRequest } from './app-context.ts'
import { type Endpoint, endpoints } from './endpoints.ts'
import {
  accessOf,
  type ForwardedRequest,
  type ForwardedResponse,
  forwardedAccess,
} from './forwarded-request.ts'
import type { OtherNodes } from './other-nodes.ts'
import type { RouteResponse } from './send-response.ts'
import { findApproval } from './shared-records.ts'

/** What a request is about, which decides the node that runs it. */
type Concern = 'session' | 'session with agent' | 'approval' | 'new session' | 'loop' | 'continue'

/**
 * Endpoints that need what only one node has: the process of an agent, its files, or the session in
 * memory. All others are answered by any node from the log.
 */
const concerns: ReadonlyMap<Endpoint, Concern> = new Map<Endpoint, Concern>([
  ...[
    endpoints.prompt,
    endpoints.steer,
    endpoints.followUp,
    endpoints.sendQueued,
    endpoints.compact,
    endpoints.setModel,
    endpoints.setMode,
    endpoints.setSwitches,
    endpoints.runShell,
    endpoints.forkSession,
    endpoints.rewindSession,
    endpoints.getTaskOutput,
    endpoints.getTurnDiff,
  ].map((endpoint): [Endpoint, Concern] => [endpoint, 'session with agent']),
  ...[
    endpoints.listQueue,
    endpoints.editQueued,
    endpoints.removeQueued,
    endpoints.abort,
    endpoints.listModels,
    endpoints.listModes,
    endpoints.stopShell,
    endpoints.stopTask,
    endpoints.getContext,
    endpoints.updateSession,
    endpoints.removeSession,
    endpoints.listSessionRules,
    endpoints.addSessionRule,
    endpoints.removeSessionRule,
  ].map((endpoint): [Endpoint, Concern] => [endpoint, 'session']),
  [endpoints.previewApproval, 'approval'],
  [endpoints.answerApproval, 'approval'],
  [endpoints.continueSession, 'continue'],
  [endpoints.createSession, 'new session'],
  [endpoints.createLoop, 'new session'],
  [endpoints.createComparison, 'new session'],
  [endpoints.getLoop, 'loop'],
  [endpoints.updateLoop, 'loop'],
  [endpoints.pauseLoop, 'loop'],
  [endpoints.resumeLoop, 'loop'],
  [endpoints.stopLoop, 'loop'],
])

/** The node that has to run a request; undefined: this one. Throws a `Problem` 503 `no_owner`. */
const nodeFor = async (
  { log }: Pick<AppContext, 'log'>,
  nodes: OtherNodes,
  { endpoint, params: { id = '' } }: Pick<AuthorizedRequest, 'endpoint' | 'params'>,
  body: unknown,
): Promise<string | undefined> => {
  const concern = concerns.get(endpoint)
  if (concern === undefined) return undefined
  if (concern === 'new session') return placeOf(log, nodes, body)
  if (concern === 'loop') return nodes.ownerOf(id)
  const approval = concern === 'approval' ? await findApproval(log, id) : undefined
  if (approval && approval.status !== 'pending') return undefined
  const sessionId = concern === 'approval' ? approval?.sessionId : id
  // Its route says what is wrong.
  const record = sessionId === undefined ? undefined : await log.sessions.get(sessionId)
  if (!record || record.imported) return undefined
  if (record.watched) return machineOf(record.watched, nodes, concern, body)
  if (concern === 'continue') return undefined
  return nodes.nodeOf(record.id, { needsAgent: concern === 'session with agent' })
}

/** The node on whose machine the agent of a watched session runs; undefined: this one. */
const machineOf = (
  { node }: WatchedFrom,
  nodes: OtherNodes,
  concern: Concern,
  body: unknown,
): string | undefined => {
  if (node === undefined || node === nodes.node) return undefined
  if (nodes.isLiving(node)) return node
  // What needs nothing of that machine can be done here.
  if (concern === 'session' || concern === 'session with agent') return undefined
  const isConfirmed =
    typeof body === 'object' && body && 'lostNode' in body && body.lostNode === node
  if (concern === 'approval') throw askerLost(node)
  if (isConfirmed) return undefined
  throw machineLost(node)
}

/** The question is withdrawn soon: another node does that. */
const askerLost = (node: string): Problem =>
  new Problem(
    503,
    'no_owner',
    `The agent asks on the machine of node ${node}, which is gone. Answer in the terminal of the agent.`,
    { retryAfter: 5, node, state: 'machine_lost' },
    { 'Retry-After': '5' },
  )

const placeOf = async (
  log: AppContext['log'],
  nodes: OtherNodes,
  body: unknown,
): Promise<string | undefined> => {
  if (typeof body !== 'object' || !body || !('projectId' in body)) return undefined
  const { projectId } = body
  const agent: unknown = 'agent' in body ? body.agent : firstOf(body)
  if (typeof projectId !== 'string' || typeof agent !== 'string') return undefined
  const project = await log.projects.get(projectId)
  return project && nodes.placeFor({ agent, directory: project.path })
}

/** All agents of a comparison work on one node: they share a repository. */
const firstOf = (body: object): unknown =>
  'agents' in body && Array.isArray(body.agents) ? body.agents[0] : undefined

/** Headers that routes read. */
const sentHeaders = ['origin', 'sluice-passkey', 'idempotency-key', 'user-agent'] as const

/** A request as another node gets it. */
export const requestToForward = (
  { endpoint, params, query, path, access, request }: AuthorizedRequest,
  actor: Actor,
  body: string | undefined,
): ForwardedRequest => ({
  ...{ method: endpoint.method, endpoint: endpoint.path, params, query, path },
  headers: headersOf(request),
  ...(body !== undefined && { body }),
  access: forwardedAccess(access, actor),
})

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    sentHeaders.flatMap((name) => {
      const value: string | readonly string[] | undefined = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )

/** A request that another node has sent, as routes get it. */
export const requestFromNode = async (
  { log }: Pick<AppContext, 'log'>,
  forwarded: ForwardedRequest,
): Promise<AuthorizedRequest> => {
  const { method, endpoint: template, params, query, path, headers } = forwarded
  const endpoint = Object.values(endpoints).find(
    (each) => each.method === method && each.path === template,
  )
  if (!endpoint)
    throw new Problem(404, 'not_found', 'The node that runs the session does not have this path.')
  const access = await accessOf(forwarded, { keys: log.keys })
  // The other node has checked it. It may be of another version.
  if (endpoint.scope !== null && endpoint.scope !== 'any') requireScope(access, endpoint.scope)
  // Routes read headers only. The body was read already. Not imported, for the reason given in `http-listener.ts`.
  const { IncomingMessage: Message } = process.getBuiltinModule('node:http')
  const request = new Message(new (process.getBuiltinModule('node:net').Socket)())
  request.headers = headers
  return { endpoint, params, query, path, request, access }
}

/** A response of a route, as it is sent to another node. */
export const responseToForward = ({
  status,
  headers = {},
  body,
  bytes,
  chunks,
}: RouteResponse): ForwardedResponse => {
  if (chunks) throw new Error('A response in chunks cannot be sent to another node.')
  if (body !== undefined) {
    const typed = { 'Content-Type': 'application/json', ...headers }
    return { status, headers: typed, body: JSON.stringify(body) }
  }
  if (bytes === undefined) return { status, headers: { ...headers } }
  if (typeof bytes === 'string') return { status, headers: { ...headers }, body: bytes }
  const base64 = Buffer.from(bytes).toString('base64')
  return { status, headers: { ...headers }, body: base64, isBase64: true }
}

/** The response of another node, as it is sent to the client. */
export const responseFromNode = ({
  status,
  headers,
  body,
  isBase64 = false,
}: ForwardedResponse): RouteResponse => ({
  ...{ status, headers },
  ...(body !== undefined && { bytes: isBase64 ? Buffer.from(body, 'base64') : body }),
})

/** How often a request follows a session that moves. */
const maxMoves = 5
const moveMs = 100

/** Runs a request on the node that it concerns: here, or on another one. */
export const runAtOwner = async (
  app: Pick<AppContext, 'log'> & { nodes: OtherNodes },
  request: Pick<AuthorizedRequest, 'endpoint' | 'params'>,
  body: unknown,
  how: { here(): Promise<RouteResponse>; forward(): ForwardedRequest },
): Promise<RouteResponse> => {
  for (let moves = 0; moves < maxMoves; moves += 1) {
    if (moves > 0) await delay(moveMs)
    const node = await nodeFor(app, app.nodes, request, body)
    if (node !== undefined) {
      const response = await app.nodes.forward(node, how.forward())
      if (!response.hasMoved) return responseFromNode(response)
      continue
    }
    try {
      return await how.here()
    } catch (cause) {
      if (!hasMoved(cause)) throw cause
    }
  }
  throw new Problem(
    503,
    'no_owner',
    'The session moves from node to node. Retry in 2 seconds.',
    { retryAfter: 2 },
    { 'Retry-After': '2' },
  )
}

/** Whether a request was refused before anything was done, because another node owns the session. */
export const hasMoved = (cause: unknown): boolean =>
  cause instanceof Problem
    ? cause.code === 'no_owner' && cause.extra.state === 'moved'
    : cause instanceof Fault && cause.code === 'owned_elsewhere'
