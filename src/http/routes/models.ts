import { modelList } from '../../api/models.ts'
import { usedModels } from '../used-models.ts'
import { knownSession } from './known-session.ts'
import { sessionParams } from './params.ts'
import { route } from './route.ts'

/** What a session can be told to go on with. */
export const modelRoutes = [
  route({
    method: 'GET',
    path: '/sessions/:id/models',
    scope: 'read',
    tag: 'Commands',
    summary: 'The models that its agent can go on with',
    description:
      'The agent is asked if it lives; none is started for it. Otherwise those that its sessions here have used.',
    parts: { params: sessionParams },
    reply: { status: 200, schema: modelList },
    problems: ['unknown_session', 'gone'],
    async handle({ params }, { world }) {
      const { id, agent } = await knownSession(world, params.id)
      const told = await (await world.sessions.get(id))?.models()
      const models = told ?? (await usedModels(world.log, agent))
      return { status: 200, body: { sessionId: id, models, isComplete: told !== undefined } }
    },
  }),
]
