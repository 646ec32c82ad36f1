import { agents, isAgentName } from '../../agents/table.ts'
import { approvalAnswer, approvalList, approvalQuery, approvalResult } from '../../api/approval.ts'
import { approvalPreview } from '../../api/approval-preview.ts'
import type { ApprovalAnswer, ApprovalPreview } from '../../api/types.ts'
import type { Access } from '../../auth/auth.ts'
import { requireScope } from '../../auth/gate.ts'
import type { Actor } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'
import type { ApprovalRecord } from '../../log/types.ts'
import { previewCall } from '../../preview/preview-call.ts'
import type { ApprovalDecision } from '../../session/conversation/session.ts'
import { defined } from '../../shared/fields.ts'
import { Problem } from '../../shared/problem.ts'
import { endpoints } from '../endpoints.ts'
import { idParams } from './params.ts'
import { route } from './route.ts'

const tag = 'Approvals'

/** Requests of agents that a person decides. */
export const approvalRoutes = [
  route({
    endpoint: endpoints.listApprovals,
    tag,
    summary: 'List the approvals that wait for a decision, oldest first',
    parts: { query: approvalQuery },
    reply: { status: 200, schema: approvalList },
    async handle({ query }, { app }) {
      const pending = await app.log.approvals.list({ ...query, status: 'pending' })
      return { status: 200, body: pending.map(({ status: _, ...approval }) => approval) }
    },
  }),
  route({
    endpoint: endpoints.previewApproval,
    tag,
    summary: 'Show what an approval would allow',
    description:
      'A diff is drawn only if the arguments are exactly those of a tool that Sluice knows, and compared with the file on disk now. Everything else is shown as arguments.',
    parts: { params: idParams },
    reply: { status: 200, schema: approvalPreview },
    problems: ['unknown_approval', 'approval_resolved', 'gone'],
    async handle({ params }, { app }) {
      const record = await requirePending(app.log, params.id)
      return { status: 200, body: await previewApproval(app.log, record) }
    },
  }),
  route({
    endpoint: endpoints.answerApproval,
    tag,
    summary: 'Decide an approval',
    description: 'The first decision counts; later ones get 409.',
    parts: { params: idParams, body: approvalAnswer },
    hasLargeBody: true, // `updatedInput` may hold a whole file
    isIdempotent: true,
    reply: { status: 200, schema: approvalResult },
    problems: ['unknown_approval', 'approval_resolved', 'approval_changed', 'gone'],
    async handle({ params: { id }, body }, { app, access, actor }) {
      // Whoever chooses the arguments of a shell tool has a shell.
      if (body.updatedInput !== undefined) requireScope(access, 'rewrite')
      const record = await requirePending(app.log, id)
      checkHash(body, record, access)
      const { approvalId, sessionId } = record
      // The tool may change files at once, and the turn diff needs their state before that.
      await app.turnStarts.waitForBaseline(sessionId)
      const session = await app.sessions.get(sessionId)
      const isInTime = session?.answer(id, decisionOf(body, actor)) ?? false
      if (!isInTime) throw notPending(await app.log.approvals.get(id))
      return {
        status: 200,
        body: { approvalId, sessionId, action: body.action, outcome: 'answered' },
      }
    },
  }),
]

/** The record of a pending approval. Throws a `Problem`: 404, 409 or 410. */
const requirePending = async (log: Log, id: string): Promise<ApprovalRecord> => {
  const record = await log.approvals.get(id)
  if (!record) throw new Problem(404, 'unknown_approval', `There is no approval ${id}.`)
  if (record.status !== 'pending') throw notPending(record)
  return record
}

const previewApproval = async (
  log: Log,
  { approvalId, hash, sessionId, toolName, args }: ApprovalRecord,
): Promise<ApprovalPreview> => {
  const { agent: name = '', cwd = '/' } = (await log.sessions.get(sessionId)) ?? {}
  const agent = isAgentName(name) ? await agents[name].load() : undefined
  const preview = await previewCall({ toolName, args }, { agent, cwd })
  return { approvalId, ...defined({ hash }), suggestions: [], ...preview }
}

/** The answer must be about the request that the person saw. Throws a `Problem`: 409 or 422. */
const checkHash = (
  { action, hash }: ApprovalAnswer,
  { hash: actual }: ApprovalRecord,
  { actor }: Access,
): void => {
  if (hash === undefined && action === 'allow' && actor.kind === 'browser')
    throw new Problem(422, 'invalid', 'To allow, send the `hash` of the approval that was shown.')
  if (hash !== undefined && hash !== actual)
    throw new Problem(
      409,
      'approval_changed',
      'This approval is not the one that was shown. Look at it again before you decide.',
    )
}

const notPending = (record: ApprovalRecord | undefined): Problem => {
  const state = record?.status ?? 'cancelled'
  // `pending`: it has just been decided, and the decision is not stored yet.
  if (state === 'answered' || state === 'policy' || state === 'pending')
    return new Problem(409, 'approval_resolved', 'This approval was already decided.', {
      state: 'answered',
      ...(record?.action !== undefined && { action: record.action }),
      ...(record?.by !== undefined && { by: record.by }),
    })
  return new Problem(410, 'gone', goneDetails[state], { state })
}

const goneDetails = {
  expired: 'This approval has expired: nobody decided before its deadline.',
  cancelled: 'This approval was cancelled: its run has ended.',
  agent_gone: 'This approval is obsolete: the agent has exited.',
} as const

const decisionOf = (
  { action, updatedInput, message, answers, value, remember }: ApprovalAnswer,
  actor: Actor,
): ApprovalDecision => ({
  action,
  by: actor.kind === 'nobody' ? 'person' : actor.name,
  actor,
  ...(updatedInput !== undefined && { updatedInput }),
  ...(message !== undefined && { message }),
  ...(answers && { answers }),
  ...(value !== undefined && { value }),
  ...(remember === true && { remember: 'tool' }),
  ...(typeof remember === 'string' && { remember }),
})
