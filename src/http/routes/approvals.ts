import { approvalAnswer, approvalList, approvalQuery, approvalResult } from '../../api/approval.ts'
import type { ApprovalAnswer } from '../../api/types.ts'
import type { Access } from '../../auth/auth.ts'
import type { ApprovalRecord } from '../../log/types.ts'
import type { ApprovalDecision } from '../../session/conversation/approvals.ts'
import { Problem } from '../../shared/problem.ts'
import type { AppContext } from '../app-context.ts'
import { idParams } from './params.ts'
import { route } from './route.ts'

const tag = 'Approvals'

/** Questions of agents to people. */
export const approvalRoutes = [
  route({
    method: 'GET',
    path: '/approvals',
    scope: 'read',
    tag,
    summary: 'What waits for a decision, oldest first',
    parts: { query: approvalQuery },
    reply: { status: 200, schema: approvalList },
    async handle({ query }, { world }) {
      const waiting = await world.log.approvals.list({ ...query, status: 'pending' })
      return { status: 200, body: waiting.map(({ status: _, ...told }) => told) }
    },
  }),
  route({
    method: 'POST',
    path: '/approvals/:id',
    scope: 'approve',
    tag,
    summary: 'Decide: the first answer wins',
    parts: { params: idParams, body: approvalAnswer },
    hasLargeBody: true, // other arguments may hold a whole file
    isIdempotent: true,
    reply: { status: 200, schema: approvalResult },
    problems: ['unknown_approval', 'approval_resolved', 'gone'],
    async handle({ params, body }, { world, access }) {
      const record = await waiting(world, params.id)
      // What it changes is told apart from what was there before.
      await world.turnStarts.waitForBaseline(record.sessionId)
      const session = await world.sessions.get(record.sessionId)
      const isInTime = session?.answer(params.id, decisionOf(body, access)) ?? false
      if (!isInTime) throw tooLate(await world.log.approvals.get(params.id))
      const { approvalId, sessionId } = record
      return {
        status: 200,
        body: { approvalId, sessionId, action: body.action, outcome: 'answered' },
      }
    },
  }),
]

const waiting = async (world: AppContext, id: string): Promise<ApprovalRecord> => {
  const record = await world.log.approvals.get(id)
  if (!record) throw new Problem(404, 'unknown_approval', `There is no approval ${id}.`)
  if (record.status !== 'pending') throw tooLate(record)
  return record
}

/** Somebody was first, or there is nobody left who waits. */
const tooLate = (record: ApprovalRecord | undefined): Problem => {
  const state = record?.status ?? 'cancelled'
  // What has just been decided may not be stored yet.
  if (state === 'answered' || state === 'policy' || state === 'pending')
    return new Problem(409, 'approval_resolved', 'The approval was decided already.', {
      state: 'answered',
      ...(record?.action !== undefined && { action: record.action }),
      ...(record?.by !== undefined && { by: record.by }),
    })
  return new Problem(410, 'gone', `The approval is no longer open: ${state}.`, { state })
}

const decisionOf = (
  { action, updatedInput, message, answers, value, remember }: ApprovalAnswer,
  { keyId }: Access,
): ApprovalDecision => ({
  action,
  by: keyId ?? 'person',
  ...(updatedInput !== undefined && { updatedInput }),
  ...(message !== undefined && { message }),
  ...(answers && { answers }),
  ...(value !== undefined && { value }),
  ...(remember === true && { remember: 'tool' }),
  ...(typeof remember === 'string' && { remember }),
})
