import type { Cluster } from '../cluster/cluster.ts'
import type { Peers } from '../cluster/peers.ts'
import {
  type ForwardedRequest,
  type ForwardedResponse,
  forwardedRequest,
  forwardedResponse,
} from '../http/forwarded-request.ts'
import type { OtherNodes } from '../http/other-nodes.ts'
import { Problem } from '../shared/problem.ts'

/** The kind of requests that carry the request of a client. */
const httpKind = 'http'
/** How long another node may take. To start an agent, or to make a worktree, takes some time. */
const deadlineMs = 60_000

interface ForwarderParts {
  cluster: Pick<Cluster, 'nodes' | 'onChange' | 'leaseMs'>
  peers: Peers
}

/** Sends the requests of clients to other nodes, and serves those that other nodes send. */
export const createForwarder = (parts: ForwarderParts): Pick<OtherNodes, 'forward' | 'serve'> => ({
  forward: async (node, request: ForwardedRequest): Promise<ForwardedResponse> =>
    forwardedResponse.parse(await peerValue(parts, node, httpKind, request)),
  serve(handle) {
    parts.peers.serve(httpKind, async (payload) => handle(forwardedRequest.parse(payload)))
  },
})

/** The reply of another node. Throws a `Problem`: 503 `no_owner` or 504 `no_answer`. */
export const peerValue = async (
  { cluster, peers }: ForwarderParts,
  node: string,
  kind: string,
  payload: unknown,
): Promise<unknown> => {
  const { signal, stop } = whileAlive(cluster, node)
  const reply = await peers.request(node, kind, payload, { deadlineMs, signal }).finally(stop)
  if (reply.outcome === 'answered') return reply.value
  if (reply.outcome === 'failed') throw new Error(`Node ${node} failed: ${reply.message}`)
  if (reply.outcome === 'unreachable') throw unreachable(node, cluster.leaseMs)
  throw noAnswer(node, reply.outcome)
}

/** Aborts when a node has lost its lease. */
const whileAlive = (
  cluster: ForwarderParts['cluster'],
  node: string,
): { signal: AbortSignal; stop(): void } => {
  const gone = new AbortController()
  const incarnation = () => cluster.nodes().find((each) => each.node === node)?.incarnation
  const first = incarnation()
  const stop = cluster.onChange(() => {
    if (incarnation() !== first) gone.abort()
  })
  return { signal: gone.signal, stop }
}

/** Nothing was done. If the node is dead, another one takes over when its lease has expired. */
const unreachable = (node: string, leaseMs: number): Problem => {
  const retryAfter = Math.ceil(leaseMs / 1000)
  return new Problem(
    503,
    'no_owner',
    `The session belongs to node ${node}, which cannot be reached. If the node is gone, another one takes over within ${retryAfter} seconds.`,
    { retryAfter, node },
    { 'Retry-After': String(retryAfter) },
  )
}

const noAnswerReasons = {
  gone: 'was lost while it ran the request',
  lost: 'has answered, but the answer is lost',
  timed_out: `did not answer within ${deadlineMs / 1000} seconds`,
}

const noAnswer = (node: string, outcome: keyof typeof noAnswerReasons): Problem => {
  const what = `Node ${node} ${noAnswerReasons[outcome]}.`
  return new Problem(
    504,
    'no_answer',
    `${what} The request may have been carried out. Look at the session, or send the request again with the same Idempotency-Key.`,
    { node },
  )
}
