import { z } from 'zod'
import { agentConversationList, agentConversationQuery } from '../../api/agent-conversation.ts'
import { sessionsOf } from '../../session/registry/continued-conversation.ts'
import { endpoints } from '../endpoints.ts'
import { route } from './route.ts'
import { requireWorkplace } from './workplace.ts'

const agentParams = z.strictObject({
  name: z.string().min(1).max(100).describe('Name of an agent of `GET agents`.'),
})

/** The conversations that agents themselves have stored. */
export const agentConversationRoutes = [
  route({
    endpoint: endpoints.listAgentConversations,
    tag: 'Server',
    summary: 'List the conversations that an agent itself has stored for a project',
    description:
      'The server starts the agent for it, which can take seconds. To continue a conversation, pass its id as `conversationId` of a new session.',
    parts: { params: agentParams, query: agentConversationQuery },
    reply: { status: 200, schema: agentConversationList },
    problems: [
      'unknown_project',
      'agent_not_installed',
      'not_supported',
      'agent_failed',
      'project_not_trusted',
      'too_many_sessions',
      'path_outside_roots',
      'not_a_directory',
      'overlaps_data',
      'disk_quota_exceeded',
    ],
    async handle({ params: { name: agent }, query: { projectId } }, { app, access }) {
      const cwd = await requireWorkplace(app, access, { projectId, agent })
      const listed = await app.sessions.conversations({ agent, cwd })
      const { conversations, hasMore, canContinue } = listed
      const sessions = await sessionsOf(app.log, agent, conversations)
      return {
        status: 200,
        body: {
          conversations: conversations.map((each) => {
            const sessionId = sessions.get(each.id)?.id
            return { ...each, ...(sessionId !== undefined && { sessionId }) }
          }),
          hasMore,
          canContinue,
        },
      }
    },
  }),
]
