import { eventPage, eventQuery, exportQuery, messageList } from '../../api/conversation.ts'
import { turnDiff } from '../../api/turn-diff.ts'
import { contextReport, usageReport } from '../../api/usage.ts'
import { exportJsonl } from '../export/jsonl.ts'
import { exportMarkdown } from '../export/markdown.ts'
import { usageReportOf } from '../usage-report.ts'
import { eventPageText } from './event-page.ts'
import { knownSession } from './known-session.ts'
import { sessionParams } from './params.ts'
import { type RouteResponse, route } from './route.ts'

const tag = 'Conversation'
const problems = ['unknown_session', 'gone'] as const

/** What was said and done in a session. */
export const conversationRoutes = [
  route({
    method: 'GET',
    path: '/sessions/:id/messages',
    scope: 'read',
    tag,
    summary: 'The conversation as it stands, the same as in a snapshot',
    parts: { params: sessionParams },
    reply: { status: 200, schema: messageList },
    problems,
    async handle({ params }, { world }) {
      const record = await knownSession(world, params.id)
      const { seq, messages } = await world.feeds.snapshotOf(record.id)
      return { status: 200, body: { sessionId: record.id, seq, messages } }
    },
  }),
  route({
    method: 'GET',
    path: '/sessions/:id/events',
    scope: 'read',
    tag,
    summary: 'The events of the log, page by page',
    parts: { params: sessionParams, query: eventQuery },
    reply: { status: 200, schema: eventPage },
    problems,
    async handle({ params, query }, { world }) {
      await knownSession(world, params.id)
      const { after = 0, limit = 500 } = query
      const text = await eventPageText(world.log, params.id, { after, limit })
      return { status: 200, bytes: text, headers: { 'Content-Type': 'application/json' } }
    },
  }),
  route({
    method: 'GET',
    path: '/sessions/:id/context',
    scope: 'read',
    tag,
    summary: 'How full the context window is',
    parts: { params: sessionParams },
    reply: { status: 200, schema: contextReport },
    problems,
    async handle({ params }, { world }) {
      const record = await knownSession(world, params.id)
      const { model = record.model, context = null } = await world.feeds.snapshotOf(record.id)
      return {
        status: 200,
        body: { sessionId: record.id, ...(model !== undefined && { model }), context },
      }
    },
  }),
  route({
    method: 'GET',
    path: '/sessions/:id/usage',
    scope: 'read',
    tag,
    summary: 'Tokens and money: in all, by model, and for each run',
    parts: { params: sessionParams },
    reply: { status: 200, schema: usageReport },
    problems,
    async handle({ params }, { world }) {
      await knownSession(world, params.id)
      return { status: 200, body: await usageReportOf(world.log, params.id) }
    },
  }),
  route({
    method: 'GET',
    path: '/sessions/:id/turn-diff',
    scope: 'read',
    tag,
    summary: 'What changed in the directory since the last run began',
    parts: { params: sessionParams },
    reply: { status: 200, schema: turnDiff },
    problems: [...problems, 'path_outside_roots'],
    async handle({ params }, { world }) {
      const record = await knownSession(world, params.id)
      await world.roots.check(record.cwd)
      return { status: 200, body: await world.turnDiffs.read(record.id, record.cwd) }
    },
  }),
  route({
    method: 'GET',
    path: '/sessions/:id/export',
    scope: 'read',
    tag,
    summary: 'The whole session as a file: its events, or a page to read',
    parts: { params: sessionParams, query: exportQuery },
    reply: { status: 200, mediaTypes: ['application/jsonl', 'text/markdown'] },
    problems,
    async handle({ params, query }, { world }) {
      const record = await knownSession(world, params.id)
      if (query.format === 'jsonl')
        return file(`${record.id}.jsonl`, 'application/jsonl', exportJsonl(world.log, record.id))
      const snapshot = await world.feeds.snapshotOf(record.id)
      return file(`${record.id}.md`, 'text/markdown', exportMarkdown(record, snapshot))
    },
  }),
]

const file = (
  name: string,
  type: string,
  pieces: NonNullable<RouteResponse['pieces']>,
): RouteResponse => ({
  status: 200,
  headers: {
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Disposition': `attachment; filename="${name}"`,
  },
  pieces,
})
