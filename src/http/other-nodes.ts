import type { NodeInfo, NodeStorage } from '../api/types.ts'
import type { ForwardedRequest, ForwardedResponse } from './forwarded-request.ts'

/** The nodes that serve the same sessions, where several nodes share a log. */
export interface OtherNodes {
  /** The name of this node. */
  readonly node: string
  /**
   * The node that has to run a request about a session; undefined: this one. Throws a `Problem` 503
   * `no_owner` when there is none, for now.
   */
  nodeOf(sessionId: string, options: { needsAgent: boolean }): Promise<string | undefined>
  /** The other node that has something now, such as a loop; undefined: none. */
  ownerOf(id: string): string | undefined
  /** This node, for as long as it has its lease. */
  self(): LeasedNode
  /** Whether a node still has the lease that it had when it began something. */
  keepsLease(node: LeasedNode): Promise<boolean>
  /** Whether a node has a lease. */
  isLiving(node: string): boolean
  /** The node on which an agent should begin to work in a directory; undefined: this one. Throws as `nodeOf`. */
  placeFor(wanted: WantedPlace): Promise<string | undefined>
  /** Sends a request to another node. Throws a `Problem` 503 `no_owner` or 504 `no_answer`. */
  forward(node: string, request: ForwardedRequest): Promise<ForwardedResponse>
  /** The nodes that live, by name. */
  list(): NodeInfo[]
  /** How the NATS cluster stores what the nodes share. */
  storage(): NodeStorage
  /** Drains a node, or ends that. Resolves when its sessions without work are released. */
  setDraining(node: string, isDraining: boolean): Promise<void>
  /** Serves the requests that other nodes send. */
  serve(handle: (request: ForwardedRequest) => Promise<ForwardedResponse>): void
}

/** A node, for as long as it has the same lease. */
export interface LeasedNode {
  node: string
  incarnation: string
}

/** What a new session needs. */
export interface WantedPlace {
  agent: string
  directory: string
}
