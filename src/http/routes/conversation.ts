import { homedir } from 'node:os'
import {
  eventPage,
  eventQuery,
  exportQuery,
  messageList,
  messageQuery,
} from '../../api/conversation.ts'
import { parseEventCursor } from '../../api/cursors.ts'
import { searchQuery, searchResult } from '../../api/search.ts'
import { turnDiff } from '../../api/turn-diff.ts'
import { contextReport, usageReport } from '../../api/usage.ts'
import { limitKeyOf } from '../../auth/gate.ts'
import { defined } from '../../shared/fields.ts'
import { modelView } from '../../transcript/model-view.ts'
import { endpoints } from '../endpoints.ts'
import { exportMarkdown } from '../export/markdown.ts'
import { requireOwnSession, requireSession } from '../require-session.ts'
import type { RouteResponse } from '../send-response.ts'
import { usageReportOf } from '../usage-report.ts'
import { bundleResponse } from './bundles.ts'
import { eventLines, eventPageText } from './event-text.ts'
import { sessionParams } from './params.ts'
import { route } from './route.ts'

const tag = 'Conversation'
const problems = ['unknown_session', 'gone'] as const

/** Messages, events, usage and exports of sessions. */
export const conversationRoutes = [
  route({
    endpoint: endpoints.listMessages,
    tag,
    summary: 'Get the messages of a session, as in a snapshot or as the model sees them',
    parts: { params: sessionParams, query: messageQuery },
    reply: { status: 200, schema: messageList },
    problems,
    async handle({ params, query: { view } }, { app }) {
      const { id } = await requireSession(app.log, params.id)
      const { seq, messages: all, omitted } = await app.streams.snapshotOf(id)
      const messages = view === 'model' ? modelView(all) : all
      return { status: 200, body: { sessionId: id, seq, messages, ...defined({ omitted }) } }
    },
  }),
  route({
    endpoint: endpoints.listEvents,
    tag,
    summary: 'List the events of a session, in pages',
    description:
      'A page has a cursor. It stays valid across restarts. When the data was restored from an older copy, or the session was deleted and created again, the response to an old cursor is an empty page with `gap`.',
    parts: { params: sessionParams, query: eventQuery },
    reply: { status: 200, schema: eventPage },
    problems,
    async handle({ params, query: { after = '0', limit = 500 } }, { app }) {
      const { id } = await requireSession(app.log, params.id)
      const cursor = parseEventCursor(after) ?? { seq: 0 }
      const text = await eventPageText(app.log, id, { after: cursor, limit })
      return { status: 200, bytes: text, headers: { 'Content-Type': 'application/json' } }
    },
  }),
  route({
    endpoint: endpoints.getContext,
    tag,
    summary: 'Get how full the context window is',
    parts: { params: sessionParams },
    reply: { status: 200, schema: contextReport },
    problems,
    async handle({ params }, { app }) {
      const record = await requireSession(app.log, params.id)
      const { model = record.model, context = null } = await app.streams.snapshotOf(record.id)
      const parts = await (await app.sessions.get(record.id))?.contextParts()
      return { status: 200, body: { sessionId: record.id, context, ...defined({ model, parts }) } }
    },
  }),
  route({
    endpoint: endpoints.getUsage,
    tag,
    summary: 'Get the tokens and cost of a session: in total, per model and per run',
    parts: { params: sessionParams },
    reply: { status: 200, schema: usageReport },
    problems,
    async handle({ params }, { app }) {
      const { id } = await requireSession(app.log, params.id)
      return { status: 200, body: await usageReportOf(app.log, id) }
    },
  }),
  route({
    endpoint: endpoints.getTurnDiff,
    tag,
    summary: 'Get what changed in the directory since the last run started',
    parts: { params: sessionParams },
    reply: { status: 200, schema: turnDiff },
    problems: [...problems, 'path_outside_roots', 'session_read_only'],
    async handle({ params }, { app }) {
      const { id, cwd } = await requireOwnSession(app.log, params.id)
      await app.roots.check(cwd)
      return { status: 200, body: await app.turnDiffs.read(id, cwd) }
    },
  }),
  route({
    endpoint: endpoints.exportSession,
    tag,
    summary:
      'Download a session as a file, as its events, a readable page, or one file with its blobs',
    parts: { params: sessionParams, query: exportQuery },
    reply: { status: 200, mediaTypes: ['application/jsonl', 'text/markdown', 'application/gzip'] },
    problems,
    async handle({ params, query }, { app }) {
      const record = await requireSession(app.log, params.id)
      const { id } = record
      if (query.format === 'sluice')
        return bundleResponse(
          app,
          record,
          query.redact === 'true' ? { home: homedir() } : undefined,
        )
      if (query.format === 'jsonl')
        return download(`${id}.jsonl`, 'application/jsonl', eventLines(app.log, id))
      const snapshot = await app.streams.snapshotOf(id)
      return download(`${id}.md`, 'text/markdown', exportMarkdown(app.log, record, snapshot))
    },
  }),
  route({
    endpoint: endpoints.search,
    tag,
    summary: 'Search all sessions',
    description:
      'Finds a phrase in the messages and tool outputs of main conversations, and in the name, directory, agent and model of sessions. Case is ignored. A message can be found once it is complete.',
    parts: { query: searchQuery },
    reply: { status: 200, schema: searchResult },
    async handle({ query: { q, limit = 50 } }, { app, access, request: { socket } }) {
      const caller = limitKeyOf(access, socket)
      const gone = new AbortController()
      const onClose = () => gone.abort()
      socket.once('close', onClose)
      try {
        const search = { query: q, limit, within: access.range, caller, signal: gone.signal }
        return { status: 200, body: await app.search.run(search) }
      } finally {
        socket.off('close', onClose)
      }
    },
  }),
]

const download = (
  name: string,
  type: string,
  chunks: NonNullable<RouteResponse['chunks']>,
): RouteResponse => ({
  status: 200,
  headers: {
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Disposition': `attachment; filename="${name}"`,
  },
  chunks,
})
