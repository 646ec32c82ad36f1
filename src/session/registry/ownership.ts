import type { InterruptReason } from '../../log/interrupt-reason.ts'

/** Which node runs a session, where several nodes share a log. */
export interface Ownership {
  /**
   * Makes this node the owner of a session. Returns the node that owned it until it failed. Throws a
   * `Fault`: `owned_elsewhere` or `owner_unreachable`.
   */
  claim(sessionId: string): Promise<{ lostNode?: string }>
  /** Gives a session up, so that any node can claim it. */
  release(sessionId: string): Promise<void>
  /** The session is deleted. */
  remove(sessionId: string): Promise<void>
  /** Whether this node owns a session. */
  holds(sessionId: string): boolean
  /** Whether another node that lives owns a session. */
  isElsewhere(sessionId: string): boolean
  /** Adds what the sessions of this node do when owners change. Returns how to end that. */
  follow(listener: OwnershipListener): () => void
}

/** What the sessions of a node do when owners change. */
export interface OwnershipListener {
  /** Closes the run that a lost node left open. This node owns the session meanwhile. */
  onOrphan(sessionId: string, reason: InterruptReason): Promise<void>
  /** Stops all agents, without writing anything: other nodes own their sessions now. */
  onLost(reason: InterruptReason): Promise<void>
  /** Unloads the sessions that have no work. */
  releaseIdle(): Promise<void>
  /** How many sessions are in memory, and how many of them work. */
  status(): { sessions: number; running: number }
}
