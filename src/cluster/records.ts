import { z } from 'zod'

/** A node, as it is stored in the bucket for as long as its lease lives. */
export const nodeRecord = z.object({
  node: z.string(),
  /** Differs each time the node gets its lease. */
  incarnation: z.string(),
  /** Names the data directory: only one process at a time can have it open. */
  home: z.string(),
  url: z.string(),
  version: z.string(),
  agents: z.array(z.string()),
  /** The directories that projects of the node may be in. Absent: any. */
  roots: z.array(z.string()).optional(),
  /** How many sessions the node has in memory. */
  sessions: z.number(),
  /** How many agents work, and how many may run at once. */
  running: z.number(),
  maxAgents: z.number(),
  isDraining: z.boolean(),
  startedAt: z.number(),
  /** The version of the NATS server that the node is connected to. */
  nats: z.string().optional(),
  /** How many stored messages it had not seen at its last check. */
  lag: z.number().optional(),
  /** Differs in each renewal, so that a node recognises its own. */
  renewal: z.number(),
})
export type NodeRecord = z.infer<typeof nodeRecord>

/** Which node a session belongs to. Released ones stay: the node has the files of the agent. */
export const ownerRecord = z.object({
  node: z.string(),
  incarnation: z.string(),
  isReleased: z.boolean(),
})
export type OwnerRecord = z.infer<typeof ownerRecord>

/** What a node says about itself when its lease is renewed. */
export type NodeStatus = Pick<NodeRecord, 'sessions' | 'running'>
