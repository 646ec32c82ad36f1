import { z } from 'zod'
import { time } from './fields.ts'

/** The agent’s own id of a conversation. */
export const conversationId = z.string().min(1).max(500)

export const agentConversation = z
  .object({
    id: conversationId.describe('The agent’s own id of the conversation.'),
    title: z.string().optional().describe('Title by the agent. Absent if it reports none.'),
    updatedAt: time('When the conversation last changed').optional(),
    sessionId: z
      .string()
      .optional()
      .describe('The session that has this conversation. Continue that one instead.'),
  })
  .describe('A conversation that an agent itself has stored.')

export const agentConversationList = z
  .object({
    conversations: z
      .array(agentConversation)
      .describe('Conversations of the project’s directory, newest first, at most 1000.'),
    hasMore: z.boolean().describe('True if the agent may have more than are listed.'),
    canContinue: z
      .boolean()
      .describe('True if a new session can continue one of them, by its `conversationId`.'),
  })
  .describe('Response of `GET agents/:name/conversations`.')

export const agentConversationQuery = z
  .strictObject({
    projectId: z.string().min(1).max(200).describe('Id of the project.'),
  })
  .describe('Query of `GET agents/:name/conversations`.')
