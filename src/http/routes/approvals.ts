import { readerOfAgent, titleOfAgentIn } from '../../agents/known-agents.ts'
import { approvalAnswer, approvalList, approvalQuery, approvalResult } from '../../api/approval.ts'
import { approvalPreview } from '../../api/approval-preview.ts'
import type { ApprovalAnswer } from '../../api/types.ts'
import type { Access } from '../../auth/auth.ts'
import { requireScope } from '../../auth/gate.ts'
import { answerProblem } from '../../events/answer-problem.ts'
import { chosenOption, offersDecision } from '../../events/chosen-option.ts'
import type { Actor, DecisionOption } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'
import { requireWritable } from '../../log/log-status.ts'
import type { ApprovalRecord } from '../../log/types.ts'
import {
  type PreviewedSession,
  previewApproval,
  ruleCovers,
} from '../../preview/preview-approval.ts'
import type { ApprovalDecision } from '../../session/conversation/session.ts'
import { defined } from '../../shared/fields.ts'
import { Problem } from '../../shared/problem.ts'
import { endpoints } from '../endpoints.ts'
import { findApproval } from '../shared-records.ts'
import { idParams } from './params.ts'
import { approvalPurpose, passkeyRequestOf } from './passkeys.ts'
import { route } from './route.ts'
import { describeRule, requireReadableRules, requireWholeProject } from './rules.ts'

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
      const session = await previewedSession(app.log, record.sessionId)
      return { status: 200, body: await previewApproval(record, session) }
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
    worksWithoutLog: true, // an approval can still be denied
    reply: { status: 200, schema: approvalResult },
    problems: [
      'unknown_approval',
      'approval_resolved',
      'approval_changed',
      'not_supported',
      'gone',
      'rule_mismatch',
      'rules_unreadable',
      'passkey_required',
      'key_limited',
      'disk_full',
      'log_failed',
      'log_unreachable',
    ],
    async handle({ params: { id }, body }, { app, access, actor, audit, request }) {
      // A caller who chooses the arguments of a shell tool has a shell.
      if (body.updatedInput !== undefined) requireScope(access, 'rewrite')
      const record = await requirePending(app.log, id)
      checkHash(body, record, access)
      checkAcceptEdits(body, record)
      const option = checkOption(body, record)
      checkAnswers(body, record)
      checkRaise(body, record, access)
      const { approvalId, sessionId } = record
      const previewed = await previewedSession(app.log, sessionId)
      checkRewrite(body, previewed)
      await checkRemembered(body, record, previewed)
      if (body.remember?.scope === 'project') {
        await requireWholeProject({ app, access }, sessionId)
        requireReadableRules(app, { sessionId, cwd: previewed.cwd })
      }
      // The agent may store it for later sessions of the project.
      if (option?.kind === 'allow_always') await requireWholeProject({ app, access }, sessionId)
      // To deny is always safe.
      if (body.action === 'allow') await requireWritable(app.log)
      if (body.action === 'allow')
        await app.passkeys.check(approvalPurpose(record), passkeyRequestOf(request, actor))
      // The tool may change files at once, and the turn diff needs their state before that.
      await app.turnStarts.waitForBaseline(sessionId)
      const decision = decisionOf(body, actor)
      const isInTime =
        app.hooks?.answer(sessionId, id, decision) ??
        (await app.sessions.get(sessionId))?.answer(id, decision) ??
        false
      if (!isInTime) throw notPending(await app.log.approvals.get(id))
      if (body.remember) {
        const { scope, rule } = body.remember
        const detail = describeRule({ ...rule, scope, effect: 'allow' })
        audit({ action: 'rule_added', sessionId, detail })
      }
      return {
        status: 200,
        body: { approvalId, sessionId, action: body.action, outcome: 'answered' },
      }
    },
  }),
]

/** The record of a pending approval. Throws a `Problem`: 404, 409 or 410. */
const requirePending = async (log: Log, id: string): Promise<ApprovalRecord> => {
  const record = await findApproval(log, id)
  if (!record) throw new Problem(404, 'unknown_approval', `There is no approval ${id}.`)
  if (record.status !== 'pending') throw notPending(record)
  return record
}

/** What a session’s agent is and where it works, for a preview. */
const previewedSession = async (log: Log, sessionId: string): Promise<PreviewedSession> =>
  (await log.sessions.get(sessionId)) ?? { agent: '', cwd: '/' }

/** Throws a `Problem` 422 if the agent would run the call with the arguments that were replaced. */
const checkRewrite = (
  { action, updatedInput }: ApprovalAnswer,
  session: PreviewedSession,
): void => {
  if (action === 'deny' || updatedInput === undefined) return
  if (readerOfAgent(session.agent)?.capabilities.rewrite === true) return
  throw new Problem(
    422,
    'not_supported',
    `${titleOfAgentIn(session)} cannot run a call with other arguments. Allow it as it is, or deny it.`,
  )
}

/** A rule to remember must cover the call that the person allows. Throws a `Problem` 422. */
const checkRemembered = async (
  { action, remember, updatedInput }: ApprovalAnswer,
  { kind, toolName, args }: ApprovalRecord,
  session: PreviewedSession,
): Promise<void> => {
  if (!remember) return
  const call = { toolName, args: updatedInput ?? args }
  const isCovered = kind === 'tool' && (await ruleCovers(remember.rule, call, session))
  if (action === 'deny' || !isCovered)
    throw new Problem(
      422,
      'rule_mismatch',
      'This rule would not have allowed the call, so it cannot be remembered with it.',
    )
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

/** Throws a `Problem` 422 if the answer accepts edits that the approval does not offer to accept. */
const checkAcceptEdits = (
  { action, acceptEdits }: ApprovalAnswer,
  { canAcceptEdits }: ApprovalRecord,
): void => {
  if (!acceptEdits || (action === 'allow' && canAcceptEdits)) return
  throw new Problem(
    422,
    'invalid',
    'Send `acceptEdits` only to allow an approval that has `canAcceptEdits`.',
  )
}

/** The option that the answer chooses. Throws a `Problem` 422 if the approval does not offer it. */
const checkOption = (
  { action, optionId }: ApprovalAnswer,
  { options = [] }: ApprovalRecord,
): DecisionOption | undefined => {
  const decision = { action, ...defined({ optionId }) }
  if (offersDecision(options, decision)) return chosenOption(options, decision)
  throw new Problem(
    422,
    'invalid',
    optionId === undefined
      ? 'The agent does not offer to allow this once. Choose one of the `options` of the approval with `optionId`.'
      : 'The approval does not offer this `optionId` for this `action`.',
  )
}

/** Throws a `Problem` 422 if the answers do not fit the questions of the approval. */
const checkAnswers = (
  { action, answers }: ApprovalAnswer,
  { questions = [] }: ApprovalRecord,
): void => {
  const problem = action === 'allow' ? answerProblem(questions, answers) : undefined
  if (problem !== undefined) throw new Problem(422, 'invalid', problem)
}

/**
 * Throws a `Problem`: 422 if the answer raises no limit that was reached, and 403 if other sessions
 * share the limit and the key does not see them.
 */
const checkRaise = (
  { action, raise }: ApprovalAnswer,
  { kind, budget }: ApprovalRecord,
  { range }: Access,
): void => {
  if (raise !== undefined && (kind !== 'budget' || action === 'deny'))
    throw new Problem(
      422,
      'invalid',
      'Send `raise` only to allow an approval of the kind `budget`.',
    )
  if (!budget || action === 'deny' || budget.scope === 'session' || !range) return
  if (!range.projects.includes(budget.projectId ?? ''))
    throw new Problem(
      403,
      'key_limited',
      'Sessions that this key does not see share this limit, so the key cannot raise it.',
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

const decisionOf = ({ hash: _, ...answer }: ApprovalAnswer, actor: Actor): ApprovalDecision => ({
  ...defined(answer),
  action: answer.action,
  by: actor.kind === 'nobody' ? 'person' : actor.name,
  actor,
})
