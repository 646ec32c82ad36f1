import { existsSync } from 'node:fs'
import { isAgentName } from '../agents/known-agents.ts'
import { Problem } from '../shared/problem.ts'
import type { Cluster, ClusterNode } from './cluster.ts'
import type { Peers } from './peers.ts'

/** Finds the node for a session. */
export interface Placement {
  /**
   * The node that has to run a command of a session: its owner, else where it was last, else one that
   * can run its agent. Throws a `Problem` 503 `no_owner` when no node can.
   */
  nodeOf(session: PlacedSession, options: { needsAgent: boolean }): Promise<string>
  /** The node where an agent should begin to work: of those that can, the one with the least work. */
  placeFor(wanted: Wanted): Promise<string>
}

export interface Wanted {
  agent: string
  directory: string
}

export interface PlacedSession extends Wanted {
  id: string
}

export interface PlacementOptions {
  cluster: Cluster
  peers: Peers
}

/** The kind of the request that asks a node whether it has a directory. */
const offerKind = 'offer'
const offerMs = 2000
/** The kind of the request that a draining node releases a session, if that has no work. */
const leaveKind = 'leave'
const leaveMs = 5000

export const createPlacement = ({ cluster, peers }: PlacementOptions): Placement => {
  const { node: self } = cluster
  peers.serve(
    offerKind,
    async (directory) => typeof directory === 'string' && existsSync(directory),
  )
  const leaveHere = async (id: unknown): Promise<boolean> =>
    typeof id === 'string' && cluster.isDraining() && (await cluster.releaseIfIdle(id))
  peers.serve(leaveKind, leaveHere)

  /** Whether a session has left its node, which drains: between two runs, it can. */
  const hasLeft = async (owner: string, id: string): Promise<boolean> => {
    if (owner === self) return leaveHere(id)
    if (!cluster.nodes().some(({ node, isDraining }) => node === owner && isDraining)) return false
    const options = { deadlineMs: leaveMs, signal: AbortSignal.timeout(leaveMs) }
    const reply = await peers.request(owner, leaveKind, id, options)
    return reply.outcome === 'answered' && reply.value === true
  }

  /** Whether a node has a directory. It is asked, because only it can see its disks. */
  const hasDirectory = async (node: string, directory: string): Promise<boolean> => {
    if (node === self) return existsSync(directory)
    const options = { deadlineMs: offerMs, signal: AbortSignal.timeout(offerMs) }
    const reply = await peers.request(node, offerKind, directory, options)
    return reply.outcome === 'answered' && reply.value === true
  }

  /** The nodes that may be able to run an agent, those with the least work first. */
  const candidates = ({ agent, directory }: Wanted, first?: string): ClusterNode[] =>
    cluster
      .nodes()
      .filter(({ isDraining }) => !isDraining)
      // An agent that people have configured may be anywhere.
      .filter(({ agents }) => !isAgentName(agent) || agents.includes(agent))
      .filter(({ roots }) => !roots || roots.some((root) => isBelow(directory, root)))
      .sort(
        (left, right) =>
          // The files of the agent are where it was last.
          Number(right.node === first) - Number(left.node === first) ||
          loadOf(left) - loadOf(right) ||
          left.owned - right.owned ||
          Number(right.node === self) - Number(left.node === self),
      )

  const placeFor = async (wanted: Wanted, first?: string): Promise<string> => {
    for (const { node } of candidates(wanted, first))
      if (await hasDirectory(node, wanted.directory)) return node
    // Its route says what is missing here: the agent, or the directory.
    if (cluster.nodes().length <= 1 && !cluster.isDraining()) return self
    throw noNode(wanted, cluster.nodes())
  }

  return {
    placeFor: (wanted) => placeFor(wanted),
    async nodeOf(session, { needsAgent }) {
      const owner = cluster.ownerOf(session.id)
      const stays = owner !== undefined && !(needsAgent && (await hasLeft(owner, session.id)))
      if (stays) return owner
      const last = cluster.lastOwnerOf(session.id)
      if (needsAgent) return placeFor(session, last)
      return cluster.nodes().some(({ node }) => node === last) ? (last ?? self) : self
    },
  }
}

const loadOf = ({ running, maxAgents }: ClusterNode): number => running / Math.max(1, maxAgents)

const isBelow = (path: string, root: string): boolean =>
  path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`)

const noNode = ({ agent, directory }: Wanted, nodes: readonly ClusterNode[]): Problem => {
  const open = nodes.filter(({ isDraining }) => !isDraining)
  const withAgent = open.filter(({ agents }) => agents.includes(agent))
  const reason =
    open.length === 0
      ? 'All nodes are draining.'
      : withAgent.length === 0
        ? `No node has the agent "${agent}".`
        : `No node with the agent "${agent}" has the directory ${directory}.`
  return new Problem(503, 'no_owner', reason, { retryAfter: 15 }, { 'Retry-After': '15' })
}
