import { agentList } from '../../api/agent.ts'
import { health } from '../../api/health.ts'
import type { AgentInfo, Health } from '../../api/types.ts'
import type { Log } from '../../log/log.ts'
import { type LogStatus, refusalOf } from '../../log/log-status.ts'
import type { AppContext } from '../app-context.ts'
import { endpoints } from '../endpoints.ts'
import { healthReasons } from '../health-reasons.ts'
import { usedModels } from '../used-models.ts'
import { route } from './route.ts'

const tag = 'Server'

/** The server itself. */
export const serverRoutes = [
  route({
    endpoint: endpoints.health,
    tag,
    summary: 'Check that the server is running, and that it can store what it is sent',
    description:
      'The status is 503 while commands are refused. A damaged session is listed with status 200: the others work.',
    parts: {},
    reply: { status: 200, or: 503, schema: health },
    async handle(_, { app }) {
      const status = await app.log.checkStatus()
      return {
        status: refusalOf(status) ? 503 : 200,
        body: healthOf(app, status),
      }
    },
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

const healthOf = (app: AppContext, logStatus: LogStatus): Health => {
  const reasons = healthReasons({
    status: logStatus,
    damage: app.log.damage.list(),
    overBytes: app.retentionStatus?.()?.overBytes ?? 0,
  })
  const status = reasons.length === 0 ? 'ok' : 'degraded'
  return { status: app.phase() === 'serving' ? status : 'stopping', reasons, version: app.version }
}

const withModels = async (log: Log, agent: AgentInfo): Promise<AgentInfo> => {
  const models = await usedModels(log, agent.name)
  return models.length === 0 ? agent : { ...agent, models }
}
