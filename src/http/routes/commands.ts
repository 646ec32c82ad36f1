import { setTimeout as pause } from 'node:timers/promises'
import { accepted, compactBody, modelBody, modelList, promptBody } from '../../api/command.ts'
import type { ModelBody, PromptBody } from '../../api/types.ts'
import type { CommandResult, MessageOptions, Session } from '../../session/conversation/session.ts'
import { endpoints } from '../endpoints.ts'
import { requireSession } from '../require-session.ts'
import { usedModels } from '../used-models.ts'
import { sessionParams } from './params.ts'
import { type Route, type RouteDescription, route } from './route.ts'
import { requestAbort, sendCommand } from './send-command.ts'

const tag = 'Commands'
const reply = { status: 202, schema: accepted }

/** There is no such session, or no longer. */
export const noSession = ['unknown_session', 'gone'] as const
/** Why a command to an agent may not be accepted. */
export const commandProblems = [
  'session_read_only',
  'session_watched',
  'path_outside_roots',
  'overlaps_data',
  'agent_refused',
  'agent_failed',
  'not_supported',
  'agent_not_installed',
  'too_many_sessions',
  'budget_exceeded',
  'disk_quota_exceeded',
] as const

/** The command was written, and may take long. */
export const unanswered: CommandResult = { outcome: 'unanswered' }

/**
 * Commands to the agent of a session. 202: the command is stored and the agent accepted it, and the
 * stream shows the rest.
 */
export const commandRoutes = [
  messageRoute(
    {
      endpoint: endpoints.prompt,
      summary: 'Start a run with a prompt',
      description: 'During a run, a prompt gets 409. Use `steer` or `follow-up` instead.',
      problems: [...noSession, 'agent_busy', ...commandProblems],
    },
    'prompts',
    (session, { text, ...more }, options) => session.prompt(text, { ...more, ...options }),
  ),
  messageRoute(
    {
      endpoint: endpoints.steer,
      summary: 'Send a message that the agent reads as soon as it can',
      description: 'Starts a run when the agent is idle.',
      problems: [...noSession, ...commandProblems],
    },
    'messages during a run',
    (session, { text, ...more }, options) => session.steer(text, { ...more, ...options }),
  ),
  messageRoute(
    {
      endpoint: endpoints.followUp,
      summary: 'Send a message that the agent reads after the current run',
      description: 'Starts a run when the agent is idle.',
      problems: [...noSession, ...commandProblems],
    },
    'follow-up messages',
    (session, { text, ...more }, options) => session.followUp(text, { ...more, ...options }),
  ),
  route({
    endpoint: endpoints.abort,
    tag,
    summary: 'Abort the current run',
    description:
      'Uses the agent’s own protocol first, and signals if the agent does not react. Does nothing when there is no run.',
    parts: { params: sessionParams },
    reply,
    problems: noSession,
    handle: ({ params }, { app, actor }) => requestAbort(app, params.id, actor),
  }),
  route({
    endpoint: endpoints.compact,
    tag,
    summary: 'Summarize the conversation to free the context window',
    parts: { params: sessionParams, body: compactBody },
    isBodyOptional: true,
    reply,
    problems: [...noSession, 'agent_busy', ...commandProblems],
    handle: ({ params, body }, { app, actor: by }) =>
      sendCommand(app, params.id, {
        feature: 'compacting the conversation',
        async send(session) {
          if (session.isBusy())
            return {
              outcome: 'busy',
              error: 'The agent is running. Wait for the run, or abort it.',
            }
          // Some agents reply only when they are done, and the stream shows that anyway.
          return Promise.race([session.compact(body.instructions, { by }), pause(5000, unanswered)])
        },
      }),
  }),
  route({
    endpoint: endpoints.setModel,
    tag,
    summary: 'Change the model or the thinking level',
    parts: { params: sessionParams, body: modelBody },
    reply,
    problems: [...noSession, ...commandProblems],
    handle: ({ params, body }, { app, actor: by }) =>
      sendCommand(app, params.id, {
        feature: `changing the ${settingsOf(body)} while it runs`,
        async send(session) {
          const { model, thinkingLevel } = body
          const result = model === undefined ? undefined : await session.setModel(model, { by })
          if (thinkingLevel === undefined || (result && result.outcome !== 'accepted'))
            return result ?? unanswered
          return session.setThinking(thinkingLevel, { by })
        },
      }),
  }),
  route({
    endpoint: endpoints.listModels,
    tag,
    summary: 'List the models that a session can change to',
    description:
      'A running agent lists its models. Otherwise, the response has the models that earlier sessions of this agent used. No agent is started.',
    parts: { params: sessionParams },
    reply: { status: 200, schema: modelList },
    problems: noSession,
    async handle({ params }, { app }) {
      const { id, agent } = await requireSession(app.log, params.id)
      const listed = await (await app.sessions.get(id))?.models()
      const models = listed ?? (await usedModels(app.log, agent))
      return { status: 200, body: { sessionId: id, models, isComplete: listed !== undefined } }
    },
  }),
]

const settingsOf = ({ model, thinkingLevel }: ModelBody): string => {
  if (model === undefined) return 'thinking level'
  return thinkingLevel === undefined ? 'model' : 'model or the thinking level'
}

/** A message to the agent, which is delivered once per `Idempotency-Key`. */
function messageRoute(
  description: Pick<RouteDescription, 'endpoint' | 'summary' | 'description' | 'problems'>,
  feature: string,
  send: (
    session: Session,
    message: PromptBody,
    options: Pick<MessageOptions, 'by' | 'once'>,
  ) => Promise<CommandResult>,
): Route {
  return route({
    ...description,
    tag,
    parts: { params: sessionParams, body: promptBody },
    hasLargeBody: true, // for images and files
    isIdempotent: 'receipt',
    reply,
    handle: ({ params, body }, { app, access, actor: by, once }) =>
      sendCommand(app, params.id, {
        feature,
        send: (session, seq) => send(session, body, { by, once: once && { ...once, seq } }),
        check: () => app.quotas.checkDisk(access),
      }),
  })
}
