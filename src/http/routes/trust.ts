import { projectTrust, trustDecision, trustQuery } from '../../api/trust.ts'
import { endpoints } from '../endpoints.ts'
import { route } from './route.ts'

const tag = 'Projects'
const problems = ['path_outside_roots', 'not_a_directory'] as const

/** Whether agents load the settings, hooks and extensions of a directory. */
export const trustRoutes = [
  route({
    endpoint: endpoints.getTrust,
    tag,
    summary: 'List what agents would load from a directory, and whether it is trusted',
    parts: { query: trustQuery },
    reply: { status: 200, schema: projectTrust },
    problems,
    handle: async ({ query }, { app }) => ({
      status: 200,
      body: await app.trust.look(await app.roots.resolve(query.path)),
    }),
  }),
  route({
    endpoint: endpoints.decideTrust,
    tag,
    summary: 'Trust the files of a directory, or start agents without them',
    description:
      'Agents that run continue as they are. An agent that waits for a prompt is started again with the next one.',
    parts: { body: trustDecision },
    reply: { status: 200, schema: projectTrust },
    problems: [...problems, 'project_changed'],
    async handle({ body }, { app, access, audit }) {
      const path = await app.roots.resolve(body.path)
      const decided = await app.trust.decide({ ...body, path }, access.actor.name)
      audit({ action: body.trusted ? 'trust_given' : 'trust_refused', detail: path })
      return { status: 200, body: decided }
    },
  }),
  route({
    endpoint: endpoints.forgetTrust,
    tag,
    summary: 'Delete the decision about a directory',
    parts: { query: trustQuery },
    reply: { status: 204 },
    problems,
    async handle({ query }, { app, audit }) {
      const path = await app.roots.resolve(query.path)
      await app.trust.forget(path)
      audit({ action: 'trust_removed', detail: path })
      return { status: 204 }
    },
  }),
]
