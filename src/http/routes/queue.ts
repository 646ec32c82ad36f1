import { z } from 'zod'
import { accepted, queueEdit, queueList } from '../../api/command.ts'
import { endpoints } from '../endpoints.ts'
import { requireSession } from '../require-session.ts'
import { sessionParams } from './params.ts'
import { route } from './route.ts'
import { sendCommand } from './send-command.ts'

const tag = 'Commands'
const reply = { status: 202, schema: accepted }
const feature = 'changing its queue'

const messageParams = z.strictObject({
  ...sessionParams.shape,
  messageId: z.string().min(1).max(200).describe('The id of the message.'),
})

const problems = [
  'unknown_session',
  'gone',
  'unknown_message',
  'message_sent',
  'session_read_only',
  'session_watched',
  'path_outside_roots',
] as const

/** The messages that wait for the agent of a session. */
export const queueRoutes = [
  route({
    endpoint: endpoints.listQueue,
    tag,
    summary: 'List the messages that wait for the agent',
    description: 'In the order of delivery. The event `queue_update` has the same items.',
    parts: { params: sessionParams },
    reply: { status: 200, schema: queueList },
    problems: ['unknown_session', 'gone'],
    async handle({ params }, { app }) {
      const record = await requireSession(app.log, params.id)
      const { id } = record
      const session = record.imported || record.watched ? undefined : await app.sessions.get(id)
      const items = (await session?.queuedMessages()) ?? []
      return { status: 200, body: { sessionId: id, items } }
    },
  }),
  route({
    endpoint: endpoints.editQueued,
    tag,
    summary: 'Replace the text of a message that waits',
    description: 'Its images stay. A message that the agent already has gets 409.',
    parts: { params: messageParams, body: queueEdit },
    hasLargeBody: true, // for long texts
    reply,
    problems,
    handle: ({ params, body }, { app, actor: by }) =>
      sendCommand(app, params.id, {
        feature,
        send: (session) => session.editQueued(params.messageId, body.text, { by }),
      }),
  }),
  route({
    endpoint: endpoints.removeQueued,
    tag,
    summary: 'Remove a message from the queue',
    description:
      'A message that the agent already has is removed if the agent gives it back; otherwise the response is 409.',
    parts: { params: messageParams },
    reply,
    problems,
    handle: ({ params }, { app, actor: by }) =>
      sendCommand(app, params.id, {
        feature,
        send: (session) => session.removeQueued(params.messageId, { by }),
      }),
  }),
  route({
    endpoint: endpoints.sendQueued,
    tag,
    summary: 'Send a message that waits now',
    description: 'During a run it steers the agent. Otherwise it starts a run.',
    parts: { params: messageParams },
    reply,
    problems: [...problems, 'agent_refused', 'agent_failed'],
    handle: ({ params }, { app, actor: by }) =>
      sendCommand(app, params.id, {
        feature,
        send: (session) => session.sendQueued(params.messageId, { by }),
      }),
  }),
]
