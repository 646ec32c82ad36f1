import { expect, test } from 'vitest'
import type { AgentEvent } from '../../../src/events/types.ts'
import { createApprovals } from '../../../src/session/conversation/approvals.ts'

test('an agent cannot withdraw the question about its budget', () => {
  const events: AgentEvent[] = []
  const approvals = createApprovals({
    now: () => 0,
    emit: (event) => events.push(event),
    reply() {},
  })
  const measure = { budgetId: 'own', scope: 'session', measure: 'costUsd' } as const
  const approvalId = 'budget own costUsd'
  const request = { type: 'approval_request', approvalId } as const
  approvals.request({ ...request, kind: 'budget', budget: { ...measure, limit: 1, spent: 1 } })
  approvals.resolvedByAgent({
    ...{ type: 'approval_resolved', approvalId, action: 'allow', outcome: 'cancelled' },
  })
  approvals.request({ ...request, kind: 'tool', toolName: 'bash', args: {} })
  expect(approvals.pending().map(({ kind }) => kind)).toEqual(['budget', 'tool'])
  // A new question about a budget replaces the open one.
  approvals.request({ ...request, kind: 'budget', budget: { ...measure, limit: 2, spent: 2 } })
  expect(approvals.pending().map(({ kind }) => kind)).toEqual(['tool', 'budget'])
  expect(events).toHaveLength(4)
})
