import { expect, test, vi } from 'vitest'
import { createLocalBus } from '../../../src/bus/local.ts'
import { createApprovalRequester } from '../../../src/session/bus/approval-requester.ts'
import { eventually } from '../../support/eventually.ts'

test('a question for a person is not sent to the bus', async () => {
  const bus = createLocalBus({ onError: (report) => expect.unreachable(JSON.stringify(report)) })
  bus.respond('adapter:piSdk.tool_approval', async () => ({ action: 'allow' }))
  const answer = vi.fn()
  const requester = createApprovalRequester({
    bus,
    record: { id: 's', agent: 'pi' },
    now: () => 0,
    isOpen: () => true,
    answer,
    onError: (cause) => expect.unreachable(String(cause)),
  })
  const request = {
    type: 'approval_request',
    kind: 'tool',
    toolCallId: 't',
    toolName: 'bash',
    args: {},
    deadline: 60_000,
    sessionId: 's',
    timestamp: 0,
  } as const
  requester.onEvent({ ...request, approvalId: 'question', kind: 'question', seq: 1 })
  requester.onEvent({ ...request, approvalId: 'tool', seq: 2 })
  await eventually(() => expect(answer).toHaveBeenCalled())
  expect(answer.mock.calls.map(([approvalId]) => approvalId)).toEqual(['tool'])
  await bus.close()
})
