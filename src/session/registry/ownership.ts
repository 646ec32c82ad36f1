import type { InterruptReason } from '../../log/interrupt-reason.ts'

/** Which node runs a session, where several nodes share a log. */
export interface Ownership {
  /**
   * Makes this node the owner of a session. Returns the node that owned it until it failed. Throws a
   * `Fault`: `owned_elsewhere` or `owner_unreachable`.
   */
  claim(sessionId: string): Promise<{ lostNode?: string }>
  /** Gives a session up, so that any node can claim it. `lastNode` has the files of its agent: by default this one. */
  release(sessionId: string, lastNode?: string): Promise<void>
  /** Notes that a new session belongs to this node, without owning it. */
  settle(sessionId: string): Promise<void>
  /** The session is deleted. */
  remove(sessionId: string): Promise<void>
  /**
   * Grows with each claim of a session by any node, so that what a former owner writes can be refused. Undefined
   * when this node does not own the session.
   */
  termOf(sessionId: string): number | undefined
  /** Whether this node owns a session. */
  holds(sessionId: string): boolean
  /** Whether another node that lives owns a session. */
  isElsewhere(sessionId: string): boolean
  /** The node that had a session last, whether it lives or not. */
  lastOwnerOf(sessionId: string): string | undefined
  /** Whether a session was on this node last, so that the files and processes of its agent are here. */
  wasHere(sessionId: string): boolean
  /** Adds what the sessions of this node do when owners change. Returns how to end that. */
  follow(listener: OwnershipListener): () => void
}

/** What the sessions of a node do when owners change. */
export interface OwnershipListener {
  /** Claims a session whose node is lost, closes the run that the node left open, and releases it. */
  onOrphan(sessionId: string): Promise<void>
  /** Stops all agents, without writing anything: other nodes own their sessions now. */
  onLost(reason: InterruptReason): Promise<void>
  /** Unloads the sessions that have no work, or this one if it has none. */
  releaseIdle(sessionId?: string): Promise<void>
  /** How many sessions are in memory, and how many of them work. */
  status(): { sessions: number; running: number }
}

/** Why the run of a session was closed whose node is lost. */
export const ownerLost = (node: string): InterruptReason => ({
  code: 'owner_lost',
  message: `Node ${node} stopped responding while the agent was working, so its run was closed.`,
})
