import { watchedReport, watchedSwitch } from '../../api/watched.ts'
import { Problem } from '../../shared/problem.ts'
import type { AppContext } from '../app-context.ts'
import { endpoints } from '../endpoints.ts'
import { route } from './route.ts'

const tag = 'Server'

/** What the server reads of agents that run outside Sluice. */
export const watchedRoutes = [
  route({
    endpoint: endpoints.getWatched,
    tag,
    summary: 'List the directories whose sessions the server reads, and what is switched off',
    description: 'Of several nodes, the one that answers lists its own directories.',
    parts: {},
    reply: { status: 200, schema: watchedReport },
    handle: async (_, { app: { watching } }) => ({
      status: 200,
      body: watching ? await reportOf(watching) : { isOn: false, agents: [], projectsOff: [] },
    }),
  }),
  route({
    endpoint: endpoints.changeWatched,
    tag,
    summary: 'Switch off reading the sessions of an agent or a project, or switch it on again',
    description:
      'It holds at once, and for all nodes within a minute. What is shown already stays. What the agents wrote meanwhile is read after switching it on.',
    parts: { body: watchedSwitch },
    reply: { status: 200, schema: watchedReport },
    problems: ['not_supported'],
    async handle({ body: { agent, project = '', state } }, { app: { watching }, audit }) {
      if (!watching)
        throw new Problem(422, 'not_supported', 'This server does not watch sessions of agents.')
      const target = agent === undefined ? { project } : { agent }
      const meant = await watching.set(target, state === 'off')
      const name = 'agent' in meant ? meant.agent : meant.project
      audit({ action: 'watching_changed', detail: `${name}: ${state}` })
      return { status: 200, body: await reportOf(watching) }
    },
  }),
]

const reportOf = async (watching: NonNullable<AppContext['watching']>) => {
  const { isOn, agents, projectsOff } = await watching.report()
  return {
    ...{ isOn, projectsOff },
    agents: agents.map(({ isOff, exists, ...agent }) => ({
      ...agent,
      exists,
      state: isOff ? ('off' as const) : ('on' as const),
      isRead: isOn && exists && !isOff,
    })),
  }
}
