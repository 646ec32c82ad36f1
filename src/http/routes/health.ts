import { agentList } from '../../api/agent.ts'
import { health } from '../../api/health.ts'
import type { AgentInfo } from '../../api/types.ts'
import type { AppContext } from '../app-context.ts'
import { usedModels } from '../used-models.ts'
import { route } from './route.ts'

/** About the server itself. */
export const serverRoutes = [
  route({
    method: 'GET',
    path: '/health',
    scope: null,
    tag: 'Server',
    summary: 'Whether the server is well',
    parts: {},
    reply: { status: 200, schema: health },
    handle: async (_, { world }) => ({
      status: 200,
      body: { status: world.phase() === 'serving' ? 'ok' : 'stopping', version: world.version },
    }),
  }),
  route({
    method: 'GET',
    path: '/agents',
    scope: 'read',
    tag: 'Server',
    summary: 'The agents that the server knows, installed or not',
    parts: {},
    reply: { status: 200, schema: agentList },
    async handle(_, { world }) {
      const known = await world.agents.list()
      return { status: 200, body: { agents: await Promise.all(known.map(withModels(world))) } }
    },
  }),
]

const withModels =
  ({ log }: AppContext) =>
  async (agent: AgentInfo): Promise<AgentInfo> => {
    const models = await usedModels(log, agent.name)
    return models.length === 0 ? agent : { ...agent, models }
  }
