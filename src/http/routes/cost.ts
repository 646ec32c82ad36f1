import { costQuery, costReport } from '../../api/cost.ts'
import { costReportOf } from '../../cost/cost-report.ts'
import { costSourceOf } from '../../cost/log-cost-source.ts'
import { endpoints } from '../endpoints.ts'
import { route } from './route.ts'

/** What sessions have cost. */
export const costRoutes = [
  route({
    endpoint: endpoints.getCost,
    tag: 'Cost',
    summary: 'Get the tokens and cost of all sessions, by day, session, project, agent or model',
    description:
      'The sums are stored in steps of 15 minutes. Deleted sessions stay in them. A key that sees only some projects gets the sums of those.',
    parts: { query: costQuery },
    reply: { status: 200, schema: costReport },
    async handle({ query: { group = 'day', timezone = localTimezone(), ...query } }, { app }) {
      const breakdown = query.breakdown === 'true'
      const options = { ...query, group, timezone, breakdown, now: app.now() }
      return { status: 200, body: await costReportOf(costSourceOf(app.log), options) }
    },
  }),
]

const localTimezone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone
