import { z } from 'zod'
import { nodeInfo, nodeList, nodePatch } from '../../api/node.ts'
import { Problem } from '../../shared/problem.ts'
import { endpoints } from '../endpoints.ts'
import { route } from './route.ts'

const tag = 'Nodes'

const nodeParams = z.strictObject({
  name: z.string().min(1).max(64).describe('The name of the node.'),
})

/** The servers that share their sessions over a NATS cluster. */
export const nodeRoutes = [
  route({
    endpoint: endpoints.listNodes,
    tag,
    summary: 'List the nodes that serve the same sessions',
    parts: {},
    reply: { status: 200, schema: nodeList },
    handle: async (_, { app: { nodes } }) => ({
      status: 200,
      body: nodes ? { nodes: nodes.list(), storage: nodes.storage() } : { nodes: [] },
    }),
  }),
  route({
    endpoint: endpoints.changeNode,
    tag,
    summary: 'Drain a node, or let it take sessions again',
    description:
      'A node that drains takes no new sessions, and releases those without work, which other nodes can continue. Runs finish first. The response comes when all sessions without work are released.',
    parts: { params: nodeParams, body: nodePatch },
    reply: { status: 200, schema: nodeInfo },
    problems: ['unknown_node', 'no_owner', 'no_answer'],
    async handle({ params: { name }, body: { state } }, { app: { nodes }, audit }) {
      const found = () => nodes?.list().find((each) => each.name === name)
      if (!nodes || !found())
        throw new Problem(
          404,
          'unknown_node',
          `No node named ${name} is running. List the nodes with: sluice nodes`,
        )
      await nodes.setDraining(name, state === 'draining')
      audit({ action: 'node_changed', detail: `${name}: ${state}` })
      const changed = found()
      if (!changed) throw new Problem(404, 'unknown_node', `Node ${name} has ended meanwhile.`)
      return { status: 200, body: { ...changed, state } }
    },
  }),
]
