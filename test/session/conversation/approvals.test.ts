import { describe, expect, test } from 'vitest'
import type { ApprovalReply } from '../../../src/agents/live.ts'
import type { AgentEvent, EventOf } from '../../../src/events/types.ts'
import {
  type ApprovalOptions,
  createApprovals,
} from '../../../src/session/conversation/approvals.ts'
import { ofType } from '../../support/decoded.ts'

type Request = EventOf<'approval_request'>

const ask = (approvalId: string, more: Partial<Request> = {}): Request => ({
  type: 'approval_request',
  kind: 'tool',
  approvalId,
  toolCallId: `call ${approvalId}`,
  toolName: 'bash',
  args: { command: 'ls' },
  ...more,
})

/** Approvals whose deadlines pass when the test says so. */
const open = (options: Partial<ApprovalOptions> = {}) => {
  const events: AgentEvent[] = []
  const replies: [id: string, answer: ApprovalReply][] = []
  const timers = new Map<() => void, number>()
  const approvals = createApprovals({
    now: () => 1000,
    emit: (event) => events.push(event),
    reply: (request, answer) => replies.push([request.approvalId, answer]),
    schedule(run, ms) {
      timers.set(run, ms)
      return () => timers.delete(run)
    },
    ...options,
  })
  const outcomes = () => ofType(events, 'approval_resolved').map(({ outcome }) => outcome)
  return { ...approvals, events, replies, timers, outcomes }
}

describe('a request', () => {
  test('waits with a deadline of five minutes, or of the agent’s own', () => {
    const { request, events, pending } = open()
    request(ask('a'))
    request(ask('b', { timeoutMs: 700 }))
    expect(ofType(events, 'approval_request').map(({ deadline }) => deadline)).toEqual([
      301_000, 1700,
    ])
    expect(pending().map(({ approvalId }) => approvalId)).toEqual(['a', 'b'])
  })

  test('is answered once: the first wins, and the agent hears it', () => {
    const { request, answer, replies, outcomes, timers, pending } = open()
    request(ask('a'))
    expect(answer('a', { action: 'allow', updatedInput: { command: 'pwd' } })).toBe(true)
    expect(answer('a', { action: 'deny' })).toBe(false)
    expect(replies).toEqual([['a', { action: 'allow', updatedInput: { command: 'pwd' } }]])
    expect(outcomes()).toEqual(['answered'])
    expect(timers.size).toBe(0)
    expect(pending()).toEqual([])
  })

  test('that nobody answers is denied, by name', () => {
    const { request, replies, outcomes, timers } = open()
    request(ask('a'))
    for (const expire of timers.keys()) expire()
    expect(outcomes()).toEqual(['expired'])
    expect(replies).toEqual([
      ['a', { action: 'deny', message: 'Denied: nobody answered in time.' }],
    ])
  })

  test('of a run that is stopped is cancelled; of an agent that died nobody is told', () => {
    const stopped = open()
    stopped.request(ask('a'))
    stopped.cancelAll('cancelled')
    expect([stopped.outcomes(), stopped.replies.length]).toEqual([['cancelled'], 1])
    const dead = open()
    dead.request(ask('a'))
    dead.cancelAll('agent_gone')
    expect([dead.outcomes(), dead.replies.length]).toEqual([['agent_gone'], 0])
  })

  test('that the agent takes back ends once', () => {
    const { request, resolvedByAgent, answer, outcomes, replies } = open()
    request(ask('a'))
    const back = {
      type: 'approval_resolved',
      approvalId: 'a',
      action: 'deny',
      outcome: 'cancelled',
    } as const
    resolvedByAgent(back)
    resolvedByAgent(back)
    expect(answer('a', { action: 'allow' })).toBe(false)
    expect([outcomes(), replies]).toEqual([['cancelled'], []])
  })
})

describe('without asking', () => {
  test('a policy decides about tools, and is named', () => {
    const { request, outcomes, replies } = open({ policy: 'allow' })
    request(ask('a'))
    expect(outcomes()).toEqual(['policy'])
    expect(replies[0]?.[1]).toMatchObject({ action: 'allow', by: 'policy' })
  })

  test.each(['question', 'plan'] as const)(
    'neither a policy nor an allowance decides a %s',
    (kind) => {
      const { request, answer, outcomes, pending } = open({ policy: 'allow' })
      request(ask('a', { kind }))
      expect(outcomes()).toEqual([])
      answer('a', { action: 'allow', remember: 'tool' })
      request(ask('b', { kind }))
      expect(outcomes()).toEqual(['answered'])
      expect(pending().map(({ approvalId }) => approvalId)).toEqual(['b'])
    },
  )

  test('what was allowed for the session is: the tool, or just this command', () => {
    const tool = open()
    tool.request(ask('a'))
    tool.answer('a', { action: 'allow', remember: 'tool' })
    tool.request(ask('b', { args: { command: 'other' } }))
    expect(tool.outcomes()).toEqual(['answered', 'policy'])
    const command = open()
    command.request(ask('a'))
    command.answer('a', { action: 'allow', remember: 'command' })
    command.request(ask('b'))
    command.request(ask('c', { args: { command: 'other' } }))
    expect(command.outcomes()).toEqual(['answered', 'policy'])
    expect(command.pending().map(({ approvalId }) => approvalId)).toEqual(['c'])
  })

  test('the call that was allowed is remembered, not the one that was rewritten', () => {
    const { request, answer, outcomes } = open()
    request(ask('a', { args: { command: 'rm -rf /' } }))
    answer('a', { action: 'allow', updatedInput: { command: 'ls' }, remember: 'command' })
    request(ask('b', { args: { command: 'rm -rf /' } }))
    expect(outcomes()).toEqual(['answered'])
    request(ask('c', { args: { command: 'ls', description: 'In other words' } }))
    expect(outcomes()).toEqual(['answered', 'policy'])
  })

  test.each(['allow', 'deny'] as const)(
    'a question of an extension is for a person, whatever the rule is (%s)',
    (policy) => {
      const dialog = { kind: 'select', title: 'Which?', options: ['production', 'staging'] }
      const { request, answer, outcomes } = open({ policy, allowances: new Set(['bash']) })
      request(ask('a', { kind: 'question', dialog }))
      expect(outcomes()).toEqual([])
      answer('a', { action: 'allow', value: 'staging', remember: 'tool' })
      request(ask('b', { kind: 'question', dialog }))
      expect(outcomes()).toEqual(['answered'])
    },
  )

  test('a denial is never remembered', () => {
    const { request, answer, pending } = open()
    request(ask('a'))
    answer('a', { action: 'deny', remember: 'tool' })
    request(ask('b'))
    expect(pending()).toHaveLength(1)
  })
})
