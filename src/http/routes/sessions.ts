import {
  newSession,
  sessionChange,
  sessionInfo,
  sessionPage,
  sessionQuery,
} from '../../api/session.ts'
import { Problem } from '../../shared/problem.ts'
import { sessionInfoOf } from '../../streams/overview/summaries.ts'
import { formatCursor, parseCursor } from './cursor.ts'
import { knownSession } from './known-session.ts'
import { sessionParams } from './params.ts'
import { knownProject } from './projects.ts'
import { route } from './route.ts'

const tag = 'Sessions'

/** Conversations: begun, listed, named, removed. */
export const sessionRoutes = [
  route({
    method: 'GET',
    path: '/sessions',
    scope: 'read',
    tag,
    summary: 'Sessions, newest first, page by page',
    parts: { query: sessionQuery },
    reply: { status: 200, schema: sessionPage },
    async handle({ query }, { world }) {
      const { cursor, limit = 50, ...filter } = query
      const before = cursor === undefined ? undefined : parseCursor(cursor)
      // One more than asked for tells whether there is a next page.
      const found = await world.log.sessions.list({ ...filter, before, limit: limit + 1 })
      const page = found.slice(0, limit)
      const last = page.at(-1)
      return {
        status: 200,
        body: {
          sessions: page.map((record) => sessionInfoOf(record, world.feeds.summaryOf(record.id))),
          ...(found.length > limit && last && { next: formatCursor(last) }),
        },
      }
    },
  }),
  route({
    method: 'POST',
    path: '/sessions',
    scope: 'prompt',
    tag,
    summary: 'Begin a session; its agent starts with the first prompt',
    parts: { body: newSession },
    reply: { status: 201, schema: sessionInfo },
    problems: ['unknown_project', 'agent_not_installed', 'path_outside_roots', 'not_a_directory'],
    async handle({ body }, { world }) {
      const { projectId, agent, model, name } = body
      const project = await knownProject(world, projectId)
      if (!world.agents.isInstalled(agent))
        throw new Problem(422, 'agent_not_installed', `The agent ${agent} is not installed here.`)
      // Once more: what the path leads to may have changed since.
      const cwd = await world.roots.admit(project.path)
      const { record } = await world.sessions.create({
        projectId,
        agent,
        cwd,
        ...(model !== undefined && { model }),
        ...(name !== undefined && { name }),
      })
      return {
        status: 201,
        body: sessionInfoOf(record, world.feeds.summaryOf(record.id)),
        headers: { Location: `/api/v1/sessions/${record.id}` },
      }
    },
  }),
  route({
    method: 'GET',
    path: '/sessions/:id',
    scope: 'read',
    tag,
    summary: 'One session',
    parts: { params: sessionParams },
    reply: { status: 200, schema: sessionInfo },
    problems: ['unknown_session', 'gone'],
    async handle({ params }, { world }) {
      const record = await knownSession(world, params.id)
      return { status: 200, body: sessionInfoOf(record, world.feeds.summaryOf(record.id)) }
    },
  }),
  route({
    method: 'PATCH',
    path: '/sessions/:id',
    scope: 'prompt',
    tag,
    summary: 'Give a session another name, or take back that it was removed',
    parts: { params: sessionParams, body: sessionChange },
    reply: { status: 200, schema: sessionInfo },
    problems: ['unknown_session', 'gone'],
    async handle({ params, body }, { world }) {
      const { id } = params
      if (body.removed === false) await world.removal.takeBack(id)
      const before = await knownSession(world, id)
      const record = await world.log.sessions.update(id, {
        ...(body.name !== undefined && { name: body.name }),
        updatedAt: world.now(),
      })
      const { name } = body
      if (name !== undefined && (name ?? undefined) !== before.name)
        await (await world.sessions.get(id))?.rename(name ?? '')
      world.announce({ type: 'session_updated', session: record })
      return { status: 200, body: sessionInfoOf(record, world.feeds.summaryOf(id)) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/sessions/:id',
    scope: 'admin',
    tag,
    summary: 'Remove a session and end its agent',
    description:
      'From then on it is gone (410). For a day it can be taken back; then all that was kept of it goes.',
    parts: { params: sessionParams },
    reply: { status: 204 },
    problems: ['unknown_session', 'gone'],
    async handle({ params }, { world }) {
      await knownSession(world, params.id)
      await world.removal.setAside(params.id)
      return { status: 204 }
    },
  }),
]
