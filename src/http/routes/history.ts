import { continuation, newFork, rewindBody, rewindResult, sessionInfo } from '../../api/session.ts'
import type { RewindOutcome } from '../../session/conversation/session.ts'
import { defined } from '../../shared/fields.ts'
import { Problem } from '../../shared/problem.ts'
import { sessionInfoOf } from '../../streams/overview/summaries.ts'
import { endpoints } from '../endpoints.ts'
import { requireIntactSession, requireOwnSession, sessionDamaged } from '../require-session.ts'
import { commandProblems, noSession } from './commands.ts'
import { sessionParams } from './params.ts'
import { route } from './route.ts'
import { confirmLess } from './rules.ts'
import { sendCommand } from './send-command.ts'
import { createdSession } from './sessions.ts'

const tag = 'Sessions'

/** Earlier points of a conversation: copies that end there, and the files as they were. */
export const historyRoutes = [
  route({
    endpoint: endpoints.forkSession,
    tag,
    summary: 'Create a session that continues the conversation of another one',
    description:
      'The other session stays as it is. The agent, the directory, the model, the start options and the limits are the same. The agent copies the conversation when it starts, with the first prompt: as a whole, or up to an earlier message. No events are copied, so no cost counts twice.',
    parts: { params: sessionParams, body: newFork },
    isIdempotent: true,
    reply: { status: 201, schema: sessionInfo },
    problems: [
      'unknown_session',
      'gone',
      'not_supported',
      'no_conversation',
      'no_fork_point',
      'session_read_only',
      'session_watched',
      'session_damaged',
      'agent_not_installed',
      'agent_failed',
      'path_outside_roots',
      'overlaps_data',
      'quota_exceeded',
      'disk_quota_exceeded',
    ],
    async handle({ params: { id }, body }, { app, access, actor, newId }) {
      const before = await app.log.sessions.get(newId())
      if (before) return createdSession(app, before)
      const { cwd } = await requireIntactSession(app.log, id)
      await app.roots.check(cwd)
      await app.quotas.checkDisk(access)
      const release = await app.quotas.reserveSession(access)
      const options = { id: newId(), by: actor, creatorId: access.keyId, ...defined(body) }
      const { record } = await app.sessions.fork(id, options).finally(release)
      return createdSession(app, record)
    },
  }),
  route({
    endpoint: endpoints.continueSession,
    tag,
    summary: 'Continue a session here that began outside Sluice',
    description:
      'The agent starts with the next prompt and resumes its own conversation. The earlier messages stay where they are, and what the agent stores is no longer read. Refused while the agent’s own process works in the session, because two programs that write to one conversation damage it.',
    parts: { params: sessionParams, body: continuation },
    reply: { status: 200, schema: sessionInfo },
    problems: [
      'unknown_session',
      'gone',
      'not_watched',
      'agent_running',
      'presence_unknown',
      'no_owner',
      'not_supported',
      'session_damaged',
      'session_read_only',
      'agent_not_installed',
      'path_outside_roots',
      'overlaps_data',
      'quota_exceeded',
      'disk_quota_exceeded',
    ],
    async handle({ params: { id }, body: { confirmed, lostNode } }, { app, access, audit }) {
      const { cwd, damage } = await requireOwnSession(app.log, id)
      if (damage) throw sessionDamaged(id, damage)
      if (!app.takeover)
        throw new Problem(422, 'not_supported', 'This server does not watch sessions of agents.')
      await app.roots.check(cwd)
      await app.quotas.checkDisk(access)
      const release = await app.quotas.reserveSession(access)
      const record = await app.takeover
        .continue(id, { confirmed, lostNode, creatorId: access.keyId })
        .finally(release)
      audit({ action: 'session_continued', sessionId: id, detail: `${record.agent} in ${cwd}` })
      return { status: 200, body: sessionInfoOf(record, app.streams.summaryOf(id)) }
    },
  }),
  route({
    endpoint: endpoints.rewindSession,
    tag,
    summary: 'Restore the files that the agent edited to their state before a message',
    description:
      'The agent restores the files that it edited with its own tools. It does not see what shell commands changed. The conversation stays as it is: to continue before the message, fork the session there. On a server that requires passkeys, confirm it with one (`rule`), unless `dryRun` is true.',
    parts: { params: sessionParams, body: rewindBody },
    reply: { status: 200, schema: rewindResult },
    problems: [...noSession, ...commandProblems, 'passkey_required'],
    async handle({ params: { id }, body: { beforeMessage, dryRun = false } }, context) {
      if (!dryRun) await confirmLess(context, id)
      const { app, access, actor: by } = context
      let result: RewindOutcome | undefined
      await sendCommand(app, id, {
        feature: 'restoring files',
        check: () => app.quotas.checkDisk(access),
        async send(session) {
          result = await session.rewind(beforeMessage, { by, dryRun })
          return result
        },
      })
      const restored = result?.outcome === 'accepted' ? result.files : { paths: [] }
      const { paths: files, insertions, deletions } = restored
      return {
        status: 200,
        body: { sessionId: id, files, dryRun, ...defined({ insertions, deletions }) },
      }
    },
  }),
]
