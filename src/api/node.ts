import { z } from 'zod'
import { count, time } from './fields.ts'

export const nodeInfo = z
  .object({
    name: z.string().describe('The name of the node.'),
    isThis: z.boolean().describe('Whether the node answers this request.'),
    state: z
      .enum(['active', 'draining'])
      .describe('`draining`: the node takes no new sessions, and releases those without work.'),
    version: z.string().describe('The version of Sluice.'),
    url: z.string().describe('The address of its server, as the node itself reaches it.'),
    sessions: count.describe('How many sessions the node has in memory.'),
    running: count.describe('How many of them work.'),
    maxAgents: count.describe('How many agents may run on it at once.'),
    agents: z.array(z.string()).describe('The agents that are installed on it.'),
    roots: z
      .array(z.string())
      .optional()
      .describe('The directories below which its projects may be. Absent: its home.'),
    leaseAgeMs: count.describe('How long ago its lease was renewed, in ms.'),
    leaseMs: count.describe('How long it may be silent before others take over, in ms.'),
    lag: count.optional().describe('How many stored messages it had not seen at its last check.'),
    nats: z.string().optional().describe('The version of the NATS server that it is connected to.'),
    startedAt: time('When the node was started'),
  })
  .describe('A Sluice server that shares its sessions with others.')

export const nodeStorage = z
  .object({
    replicas: count.describe('How many NATS servers store everything.'),
    promise: z.string().describe('What survives a failure, for people.'),
  })
  .describe('How the NATS cluster stores what the nodes share.')

export const nodeList = z
  .object({
    nodes: z
      .array(nodeInfo)
      .describe('The nodes that live, by name. Empty for a server without `--nats`.'),
    storage: nodeStorage.optional(),
  })
  .describe('Response of `GET nodes`.')

export const nodePatch = z
  .strictObject({
    state: z.enum(['active', 'draining']).describe('The new state. A restart makes it active.'),
  })
  .describe('Body of `PATCH nodes/:name`.')
