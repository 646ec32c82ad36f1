import { setTimeout as pause } from 'node:timers/promises'
import { accepted, compactBody, modelBody, promptBody } from '../../api/command.ts'
import type { PromptBody } from '../../api/types.ts'
import type { CommandResult } from '../../session/conversation/command-result.ts'
import type { Session } from '../../session/conversation/session.ts'
import { Problem } from '../../shared/problem.ts'
import type { AppContext } from '../app-context.ts'
import { faultRefusal } from '../refusal.ts'
import { knownSession } from './known-session.ts'
import { sessionParams } from './params.ts'
import { type Route, type RouteResponse, route } from './route.ts'

const tag = 'Commands'
const scope = 'prompt'
const reply = { status: 202, schema: accepted }

const unknown = ['unknown_session', 'gone'] as const
const refused = [
  'path_outside_roots',
  'agent_refused',
  'agent_failed',
  'not_supported',
  'agent_not_installed',
  'too_many_sessions',
] as const

/** What can be asked of a session’s agent. 202: it took it; what comes of it is in the stream. */
export const commandRoutes = [
  sayingRoute('prompt', (session, { text, images }) => session.prompt(text, images), {
    summary: 'Begin a run',
    description: 'Refused while one is going on: then it is `steer` or `follow-up` that is meant.',
    problems: [...unknown, 'agent_busy', ...refused],
  }),
  sayingRoute('steer', (session, { text, images }) => session.steer(text, images), {
    summary: 'Say something that the agent takes as soon as it can; begins a run when it is idle',
    problems: [...unknown, ...refused],
  }),
  sayingRoute('follow-up', (session, { text, images }) => session.followUp(text, images), {
    summary: 'Say something that waits until the run is over; begins one when it is idle',
    problems: [...unknown, ...refused],
  }),
  route({
    method: 'POST',
    path: '/sessions/:id/abort',
    scope,
    tag,
    summary: 'End the run',
    description:
      'By the agent’s own protocol, and by signals if it does not obey. Nothing happens where none is going on.',
    parts: { params: sessionParams },
    reply,
    problems: [...unknown],
    handle: async ({ params: { id } }, { world }) =>
      world.commandOrder.handOver(
        id,
        async () => {
          await knownSession(world, id)
          return placeOf(world, id)
        },
        async ({ seq, session }) => {
          // It may take its time; that it is over is told by the stream.
          session.abort().catch(world.report)
          return took(id, seq)
        },
      ),
  }),
  route({
    method: 'POST',
    path: '/sessions/:id/compact',
    scope,
    tag,
    summary: 'Have the conversation summed up, to free the context window',
    parts: { params: sessionParams, body: compactBody },
    isBodyOptional: true,
    reply,
    problems: [...unknown, 'agent_busy', ...refused],
    handle: async ({ params, body }, { world }) =>
      command(world, params.id, async (session) => {
        if (session.isBusy()) return { outcome: 'busy', error: 'The agent is working.' }
        // An agent may answer only when it is done; whatever it says later is in the stream.
        return Promise.race([session.compact(body.instructions), pause(5000, unanswered)])
      }),
  }),
  route({
    method: 'POST',
    path: '/sessions/:id/model',
    scope,
    tag,
    summary: 'Go on with another model, or another level of thinking',
    parts: { params: sessionParams, body: modelBody },
    reply,
    problems: [...unknown, ...refused],
    handle: async ({ params, body }, { world }) =>
      command(world, params.id, async (session) => {
        const { model, thinkingLevel } = body
        const outcome = model === undefined ? undefined : await session.setModel(model)
        if (thinkingLevel === undefined || (outcome && outcome.outcome !== 'accepted'))
          return outcome ?? unanswered
        return session.setThinking(thinkingLevel)
      }),
  }),
]

/** A message to the agent, which may be sent twice and arrives once. */
function sayingRoute(
  verb: 'prompt' | 'steer' | 'follow-up',
  say: (session: Session, said: PromptBody) => Promise<CommandResult>,
  about: Pick<Route, 'summary' | 'description' | 'problems'>,
): Route {
  return route({
    method: 'POST',
    path: `/sessions/:id/${verb}`,
    scope,
    tag,
    parts: { params: sessionParams, body: promptBody },
    hasLargeBody: true, // images go along
    isIdempotent: true,
    reply,
    ...about,
    handle: async ({ params, body }, { world }) =>
      command(world, params.id, (session) => say(session, body)),
  })
}

const unanswered: CommandResult = { outcome: 'unanswered' }

const took = (sessionId: string, seq: number): RouteResponse => ({
  status: 202,
  body: { sessionId, outcome: 'accepted', seq },
})

/** A session, and where its events have got to. */
const placeOf = async (
  world: AppContext,
  id: string,
): Promise<{ session: Session; seq: number }> => {
  const seq = await world.log.head(id)
  const session = await world.sessions.get(id)
  if (!session) throw new Problem(404, 'unknown_session', `There is no session ${id}.`)
  return { session, seq }
}

const command = (
  world: AppContext,
  id: string,
  run: (session: Session) => Promise<CommandResult>,
): Promise<RouteResponse> =>
  world.commandOrder.handOver(
    id,
    async () => {
      const { cwd } = await knownSession(world, id)
      // Once more: what the path leads to may have changed since, and so may the roots.
      await world.roots.check(cwd)
      return placeOf(world, id)
    },
    async ({ session, seq }) => {
      const asked = await run(session)
      // It may have been removed in the meantime: then that is why.
      if (asked.outcome === 'gone' || asked.outcome === 'failed') await knownSession(world, id)
      return answerOf(asked, { id, seq, state: session.isBusy() ? 'running' : 'idle' })
    },
  )

interface Place {
  id: string
  seq: number
  state: string
}

const answerOf = (asked: CommandResult, { id, seq, state }: Place): RouteResponse => {
  switch (asked.outcome) {
    // It was written to the agent: sent again, it might happen twice.
    case 'unanswered':
    case 'accepted':
      return took(id, seq)
    case 'busy':
      throw new Problem(409, 'agent_busy', asked.error, { state })
    case 'refused':
      throw new Problem(409, 'agent_refused', asked.error, { state })
    case 'unsupported':
      throw new Problem(422, 'not_supported', 'The agent has no such thing.')
    case 'gone':
      throw new Problem(409, 'agent_failed', 'The agent ended before it took this.', { state })
    case 'failed':
      throw (
        faultRefusal(asked.code, asked.error) ??
        new Problem(409, 'agent_failed', asked.error, { state })
      )
  }
}
