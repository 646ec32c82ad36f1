import type { Presence } from '../events/types.ts'
import type { PresenceQuery } from '../presence/presence.ts'

/** The machines of the other nodes, where several nodes share a log. Agents run on any of them. */
export interface OtherMachines {
  /** The name of this node. */
  readonly node: string
  /** Whether a node has a lease. */
  isLiving(node: string): boolean
  /** Whether this node does what only one of them may do. */
  isHousekeeper(): boolean
  /** Called when a node has come or gone. Returns how to end that. */
  onChange(listener: () => void): () => void
  /**
   * Asks all other nodes that live what the agent of a session does on their machines. A node without the
   * file of the session has no such agent. `unknown`: the node did not answer.
   */
  findPresence(query: PresenceQuery): Promise<PresenceElsewhere[]>
  /** Answers what other nodes ask. */
  serve(find: (query: PresenceQuery) => Promise<Presence>): void
}

export interface PresenceElsewhere {
  node: string
  presence: Presence
}
