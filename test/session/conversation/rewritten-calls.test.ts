import { expect, test } from 'vitest'
import { createApprovals } from '../../../src/session/conversation/approvals.ts'

test('a call is not allowed with other arguments if the agent would run its own', () => {
  const replies: unknown[] = []
  const approvals = createApprovals({
    now: () => 1000,
    emit: () => {},
    reply: (_, answer) => replies.push(answer),
    newId: () => 'a',
    canRewrite: false,
  })
  approvals.request({
    type: 'approval_request',
    kind: 'tool',
    approvalId: 'a',
    toolName: 'bash',
    args: { command: 'rm -rf build' },
  })
  const updatedInput = { command: 'ls' }
  expect(approvals.answer('a', { action: 'allow', updatedInput })).toBe(false)
  expect(replies).toEqual([])
  expect(approvals.pending()).toHaveLength(1)
  expect(approvals.answer('a', { action: 'deny' })).toBe(true)
})
