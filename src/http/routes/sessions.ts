import {
  newSession,
  sessionChange,
  sessionInfo,
  sessionPage,
  sessionQuery,
} from '../../api/session.ts'
import type { NewSession } from '../../api/types.ts'
import { sessionRemoval } from '../../api/worktree.ts'
import { requireScope } from '../../auth/gate.ts'
import { raisedOfOthers } from '../../budget/limits.ts'
import type { SessionRecord } from '../../log/types.ts'
import { defined } from '../../shared/fields.ts'
import { Problem } from '../../shared/problem.ts'
import { sessionInfoOf } from '../../streams/overview/summaries.ts'
import type { AppContext } from '../app-context.ts'
import { apiBase, endpoints } from '../endpoints.ts'
import { requireSession } from '../require-session.ts'
import type { RouteResponse } from '../send-response.ts'
import { formatCursor, parseCursor } from './cursor.ts'
import { inWorktree, type Workplace } from './in-worktree.ts'
import { sessionParams } from './params.ts'
import { route } from './route.ts'
import { allowedStart } from './start-options.ts'
import { requireWorkplace } from './workplace.ts'

const tag = 'Sessions'

/** The response to a request that has created a session. */
export const createdSession = (
  { streams }: Pick<AppContext, 'streams'>,
  record: SessionRecord,
): RouteResponse => ({
  status: 201,
  body: sessionInfoOf(record, streams.summaryOf(record.id)),
  headers: { Location: `${apiBase}/sessions/${record.id}` },
})

/** A worktree is a new directory, for which the agent has no conversations. */
const refuseWorktree = ({ conversationId, worktree }: NewSession): void => {
  if (conversationId !== undefined && worktree)
    throw new Problem(422, 'invalid', 'Leave out `worktree` or `conversationId`.')
}

/** Conversations with an agent. */
export const sessionRoutes = [
  route({
    endpoint: endpoints.listSessions,
    tag,
    summary: 'List sessions, newest first, in pages',
    parts: { query: sessionQuery },
    reply: { status: 200, schema: sessionPage },
    async handle({ query }, { app }) {
      const { cursor, limit = 50, ...filter } = query
      const before = cursor === undefined ? undefined : parseCursor(cursor)
      // One more than requested shows whether there is a next page.
      const found = await app.log.sessions.list({ ...filter, before, limit: limit + 1 })
      const page = found.slice(0, limit)
      const last = page.at(-1)
      return {
        status: 200,
        body: {
          sessions: page.map((record) => sessionInfoOf(record, app.streams.summaryOf(record.id))),
          ...(found.length > limit && last && { next: formatCursor(last) }),
        },
      }
    },
  }),
  route({
    endpoint: endpoints.createSession,
    tag,
    summary: 'Create a session',
    description: 'Its agent starts with the first prompt.',
    parts: { body: newSession },
    isIdempotent: true,
    reply: { status: 201, schema: sessionInfo },
    problems: [
      'unknown_project',
      'agent_not_installed',
      'path_outside_roots',
      'not_a_directory',
      'overlaps_data',
      'quota_exceeded',
      'disk_quota_exceeded',
      'not_supported',
      'unknown_conversation',
      'conversation_in_use',
      'agent_failed',
      'project_not_trusted',
      'too_many_sessions',
      'invalid',
      'passkey_required',
      'no_repository',
      'uncommitted_changes',
    ],
    async handle({ body }, context) {
      const { app, access, actor } = context
      const { projectId, agent, model, name, budget, conversationId } = body
      refuseWorktree(body)
      const id = context.newId()
      const before = await app.log.sessions.get(id)
      if (before) return createdSession(app, before)
      const directory = await requireWorkplace(app, access, { projectId, agent })
      const start = await allowedStart(context, projectId, body.start)
      const release = await app.quotas.reserveSession(access)
      const create = (place: Workplace) =>
        app.sessions.create({
          id,
          projectId,
          agent,
          ...place,
          by: actor,
          creatorId: access.keyId,
          ...defined({
            model,
            name,
            budget,
            start,
            conversationId,
            comparisonId: body.comparisonId,
          }),
        })
      const { record } = await inWorktree(directory, body, create).finally(release)
      return createdSession(app, record)
    },
  }),
  route({
    endpoint: endpoints.getSession,
    tag,
    summary: 'Get a session',
    parts: { params: sessionParams },
    reply: { status: 200, schema: sessionInfo },
    problems: ['unknown_session', 'gone'],
    async handle({ params }, { app }) {
      const record = await requireSession(app.log, params.id)
      return { status: 200, body: sessionInfoOf(record, app.streams.summaryOf(record.id)) }
    },
  }),
  route({
    endpoint: endpoints.updateSession,
    tag,
    summary: 'Rename or pin a session, set its limits, or restore a removed one',
    description: 'To change the limits, the scope `approve` is needed.',
    parts: { params: sessionParams, body: sessionChange },
    reply: { status: 200, schema: sessionInfo },
    problems: ['unknown_session', 'gone'],
    async handle({ params: { id }, body }, { app, access, actor, audit }) {
      const { name, pinned, removed, budget } = body
      // A caller who may not decide about a limit may not lift it.
      if (budget !== undefined) requireScope(access, 'approve')
      if (removed === false && (await app.removal.restore(id)))
        audit({ action: 'session_restored', sessionId: id })
      const before = await requireSession(app.log, id)
      const record = await app.log.sessions.update(id, {
        ...(name !== undefined && { name }),
        ...(pinned !== undefined && { pinned: pinned || null }),
        ...(budget !== undefined && { budget, raised: raisedOfOthers(before.raised) }),
        updatedAt: app.now(),
      })
      if (budget !== undefined) {
        app.sessions.budgets.setOwn(id, budget ?? undefined)
        audit({ action: 'budget_set', sessionId: id, detail: JSON.stringify(budget) })
      }
      if (pinned !== undefined && pinned !== (before.pinned === true))
        audit({ action: pinned ? 'session_pinned' : 'session_unpinned', sessionId: id })
      if (
        !record.damage &&
        !record.imported &&
        !record.watched &&
        name !== undefined &&
        (name ?? undefined) !== before.name
      )
        await (await app.sessions.get(id))?.rename(name ?? '', { by: actor })
      app.streams.publishLifecycle({ type: 'session_updated', session: record })
      return { status: 200, body: sessionInfoOf(record, app.streams.summaryOf(id)) }
    },
  }),
  route({
    endpoint: endpoints.removeSession,
    tag,
    summary: 'Stop the agent of a session and remove the session',
    description:
      'From then on, requests for the session get 410. It can be restored for a day; after that, everything stored about it is deleted.',
    parts: { params: sessionParams, query: sessionRemoval },
    reply: { status: 204 },
    problems: ['unknown_session', 'gone'],
    async handle({ params: { id }, query: { worktree } }, { app, audit }) {
      const { name, title } = await requireSession(app.log, id)
      await app.removal.remove(id, worktree)
      audit({ action: 'session_removed', sessionId: id, detail: name ?? title })
      return { status: 204 }
    },
  }),
]
