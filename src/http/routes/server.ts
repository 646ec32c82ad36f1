import { agentList } from '../../api/agent.ts'
import { health } from '../../api/health.ts'
import type { AgentInfo } from '../../api/types.ts'
import type { Log } from '../../log/log.ts'
import { endpoints } from '../endpoints.ts'
import { usedModels } from '../used-models.ts'
import { route } from './route.ts'

const tag = 'Server'

/** The server itself. */
export const serverRoutes = [
  route({
    endpoint: endpoints.health,
    tag,
    summary: 'Check that the server is running',
    parts: {},
    reply: { status: 200, schema: health },
    handle: async (_, { app }) => ({
      status: 200,
      body: { status: app.phase() === 'serving' ? 'ok' : 'stopping', version: app.version },
    }),
  }),
  route({
    endpoint: endpoints.listAgents,
    tag,
    summary: 'List the agents that the server supports, installed or not',
    parts: {},
    reply: { status: 200, schema: agentList },
    async handle(_, { app }) {
      const agents = await app.agents.list()
      return {
        status: 200,
        body: { agents: await Promise.all(agents.map((agent) => withModels(app.log, agent))) },
      }
    },
  }),
]

const withModels = async (log: Log, agent: AgentInfo): Promise<AgentInfo> => {
  const models = await usedModels(log, agent.name)
  return models.length === 0 ? agent : { ...agent, models }
}
