import { agentList, agentQuery } from '../../api/agent.ts'
import { health } from '../../api/health.ts'
import type { AgentInfo, Health } from '../../api/types.ts'
import type { Log } from '../../log/log.ts'
import { type LogStatus, refusalOf } from '../../log/log-status.ts'
import type { AppContext } from '../app-context.ts'
import { endpoints } from '../endpoints.ts'
import { healthReasons } from '../health-reasons.ts'
import { usedModels } from '../used-models.ts'
import { requireProject } from './projects.ts'
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
    parts: { query: agentQuery },
    reply: { status: 200, schema: agentList },
    problems: ['unknown_project', 'path_outside_roots', 'not_a_directory'],
    async handle({ query }, { app }) {
      const directory =
        query.projectId === undefined ? undefined : await directoryOf(app, query.projectId)
      const [agents, problems = []] = await Promise.all([
        app.agents.list(directory),
        app.agents.problems?.(directory),
      ])
      return {
        status: 200,
        body: {
          agents: await Promise.all(agents.map((agent) => withModels(app.log, agent))),
          ...(problems.length > 0 && { problems }),
        },
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

const directoryOf = async (app: AppContext, projectId: string): Promise<string> =>
  app.roots.resolve((await requireProject(app.log, projectId)).path)

const withModels = async (log: Log, agent: AgentInfo): Promise<AgentInfo> => {
  const models = await usedModels(log, agent.name)
  return models.length === 0 ? agent : { ...agent, models }
}
