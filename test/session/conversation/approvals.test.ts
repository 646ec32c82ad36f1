import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ApprovalReply } from '../../../src/agents/live.ts'
import type { AgentEvent, EventOf } from '../../../src/events/types.ts'
import {
  type ApprovalOptions,
  createApprovals,
} from '../../../src/session/conversation/approvals.ts'
import { ofType } from '../../support/decoded.ts'

type Request = EventOf<'approval_request'>

const requestOf = (approvalId: string, more: Partial<Request> = {}): Request => ({
  type: 'approval_request',
  kind: 'tool',
  approvalId,
  toolCallId: `call ${approvalId}`,
  toolName: 'bash',
  args: { command: 'ls' },
  ...more,
})

/** Approvals whose deadlines pass when the test runs their timers. */
const open = (options: Partial<ApprovalOptions> = {}) => {
  const events: AgentEvent[] = []
  const replies: [id: string, answer: ApprovalReply][] = []
  const timers = new Map<() => void, number>()
  const ids = new Map<string, number>()
  let lastId = ''
  const approvals = createApprovals({
    sessionId: 'session',
    now: () => 1000,
    emit: (event) => events.push(event),
    reply: (request, answer) => replies.push([request.approvalId, answer]),
    // The agent’s id, with a number if the agent uses it again.
    newId() {
      const count = (ids.get(lastId) ?? 0) + 1
      ids.set(lastId, count)
      return count === 1 ? lastId : `${lastId}${count}`
    },
    schedule(run, ms) {
      timers.set(run, ms)
      return () => timers.delete(run)
    },
    ...options,
  })
  const outcomes = () => ofType(events, 'approval_resolved').map(({ outcome }) => outcome)
  const request = (event: Request) => {
    lastId = event.approvalId
    approvals.request(event)
  }
  return { ...approvals, request, events, replies, timers, outcomes }
}

describe('an approval request', () => {
  test('waits until it is answered, or as long as the agent says', () => {
    const { request, events, pending, timers } = open()
    request(requestOf('a'))
    expect(timers.size).toBe(0)
    request(requestOf('b', { timeoutMs: 700 }))
    expect([...timers.values()]).toEqual([700])
    const deadlines = ofType(events, 'approval_request').map(({ deadline }) => deadline)
    expect(deadlines).toEqual([undefined, 1700])
    expect(pending().map(({ toolCallId }) => toolCallId)).toEqual(['call a', 'call b'])
  })

  test('with a time limit, expires after the shorter of ours and the agent’s', () => {
    const { request, events } = open({ deadlineMs: 5000 })
    request(requestOf('a'))
    request(requestOf('b', { timeoutMs: 700 }))
    request(requestOf('c', { timeoutMs: 9000 }))
    const deadlines = ofType(events, 'approval_request').map(({ deadline }) => deadline)
    expect(deadlines).toEqual([6000, 1700, 6000])
  })

  test('has an id of ours; the agent gets its own id back', () => {
    const { request, events, pending, answer, replies } = open({ newId: () => 'ours' })
    request(requestOf('a'))
    expect(pending()).toMatchObject([{ approvalId: 'ours' }])
    expect(answer('a', { action: 'allow' })).toBe(false)
    expect(answer('ours', { action: 'allow' })).toBe(true)
    expect(replies.map(([id]) => id)).toEqual(['a'])
    expect(events.map((event) => 'approvalId' in event && event.approvalId)).toEqual([
      'ours',
      'ours',
    ])
  })

  test('has random ids: they differ although two agents use the same id', () => {
    const [first, second] = [open({ newId: randomUUID }), open({ newId: randomUUID })]
    first.request(requestOf('1'))
    second.request(requestOf('1'))
    const [ofFirst] = first.pending()
    expect(ofFirst?.approvalId).toMatch(/^[0-9a-f-]{36}$/)
    expect(second.answer(ofFirst?.approvalId ?? '', { action: 'allow' })).toBe(false)
    expect(second.replies).toEqual([])
  })

  test('replaces an open one with the same id of the agent, which is closed without a reply', () => {
    const { request, events, pending, replies, timers, outcomes } = open({ deadlineMs: 5000 })
    request(requestOf('a', { args: { command: 'ls' } }))
    const [first] = pending()
    request(requestOf('a', { args: { command: 'rm -rf /' } }))
    expect(pending()).toMatchObject([{ args: { command: 'rm -rf /' } }])
    expect(timers.size).toBe(1)
    expect([outcomes(), replies]).toEqual([['cancelled'], []])
    expect(ofType(events, 'approval_resolved')[0]?.approvalId).toBe(first?.approvalId)
  })

  test('has a hash of everything that is decided', () => {
    const hashOf = (more: Partial<Request>, sessionId = 'session') => {
      const { request, pending } = open({ sessionId })
      request(requestOf('a', more))
      return pending()[0]?.hash
    }
    const same = hashOf({ args: { command: 'ls', timeout: 1 } })
    expect(same).toMatch(/^[0-9a-f]{64}$/)
    expect(hashOf({ args: { timeout: 1, command: 'ls' }, reasoning: 'Because.' })).toBe(same)
    const others = [
      hashOf({ args: { command: 'ls', timeout: 2 } }),
      hashOf({ args: { command: 'ls' } }),
      hashOf({ args: { command: 'ls', timeout: 1 }, toolName: 'sh' }),
      hashOf({ args: { command: 'ls', timeout: 1 }, kind: 'plan' }),
      hashOf({ args: { command: 'ls', timeout: 1 }, dialog: { kind: 'confirm' } }),
      hashOf({ args: { command: 'ls', timeout: 1 }, questions: [] }),
      hashOf({ args: JSON.parse('{"command":"ls","timeout":1,"__proto__":{}}') }),
      hashOf({ args: { command: 'ls', timeout: 1 } }, 'other session'),
    ]
    expect(new Set([same, ...others]).size).toBe(others.length + 1)
  })

  test('is denied when its arguments are too deep to be shown', () => {
    const { request, events, replies, pending } = open({ policy: 'allow' })
    request(requestOf('a', { args: JSON.parse('['.repeat(5000) + ']'.repeat(5000)) }))
    expect(ofType(events, 'approval_request')[0]?.args).toBeUndefined()
    expect(replies).toMatchObject([
      ['a', { action: 'deny', message: expect.stringContaining('nested more than 200 levels') }],
    ])
    expect(pending()).toEqual([])
  })

  test('is answered once: the first answer wins and goes to the agent', () => {
    const { request, answer, replies, outcomes, timers, pending } = open({ deadlineMs: 5000 })
    request(requestOf('a'))
    expect(answer('a', { action: 'allow', updatedInput: { command: 'pwd' } })).toBe(true)
    expect(answer('a', { action: 'deny' })).toBe(false)
    expect(replies).toEqual([['a', { action: 'allow', updatedInput: { command: 'pwd' } }]])
    expect(outcomes()).toEqual(['answered'])
    expect(timers.size).toBe(0)
    expect(pending()).toEqual([])
  })

  test('is denied as expired when nobody answers', () => {
    const { request, replies, outcomes, timers } = open({ deadlineMs: 5000 })
    request(requestOf('a'))
    for (const expire of timers.keys()) expire()
    expect(outcomes()).toEqual(['expired'])
    expect(replies).toEqual([
      ['a', { action: 'deny', message: 'Denied: nobody answered in time.' }],
    ])
  })

  test('is cancelled when the run stops, or ends without a reply when the agent is gone', () => {
    const stopped = open()
    stopped.request(requestOf('a'))
    stopped.cancelAll('cancelled')
    expect([stopped.outcomes(), stopped.replies.length]).toEqual([['cancelled'], 1])
    const dead = open()
    dead.request(requestOf('a'))
    dead.cancelAll('agent_gone')
    expect([dead.outcomes(), dead.replies.length]).toEqual([['agent_gone'], 0])
  })

  test('is resolved once when the agent withdraws it', () => {
    const { request, resolvedByAgent, answer, outcomes, replies } = open()
    request(requestOf('a'))
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

describe('without a person', () => {
  test('a policy decides about tools, and the outcome names it', () => {
    const { request, outcomes, replies } = open({ policy: 'allow' })
    request(requestOf('a'))
    expect(outcomes()).toEqual(['policy'])
    expect(replies[0]?.[1]).toMatchObject({ action: 'allow', by: 'policy' })
  })

  test.each(['question', 'plan'] as const)(
    'neither a policy nor an allowance decides a %s',
    (kind) => {
      const { request, answer, outcomes, pending } = open({ policy: 'allow' })
      request(requestOf('a', { kind }))
      expect(outcomes()).toEqual([])
      answer('a', { action: 'allow', remember: 'tool' })
      request(requestOf('b', { kind }))
      expect(outcomes()).toEqual(['answered'])
      expect(pending().map(({ approvalId }) => approvalId)).toEqual(['b'])
    },
  )

  test('an allowance covers every use of the tool, or only the same command', () => {
    const tool = open()
    tool.request(requestOf('a'))
    tool.answer('a', { action: 'allow', remember: 'tool' })
    tool.request(requestOf('b', { args: { command: 'other' } }))
    expect(tool.outcomes()).toEqual(['answered', 'policy'])
    const command = open()
    command.request(requestOf('a'))
    command.answer('a', { action: 'allow', remember: 'command' })
    command.request(requestOf('b'))
    command.request(requestOf('c', { args: { command: 'other' } }))
    expect(command.outcomes()).toEqual(['answered', 'policy'])
    expect(command.pending().map(({ approvalId }) => approvalId)).toEqual(['c'])
  })

  test('an allowance covers the call as the person rewrote it, not the original', () => {
    const { request, answer, outcomes } = open()
    request(requestOf('a', { args: { command: 'rm -rf /' } }))
    answer('a', { action: 'allow', updatedInput: { command: 'ls' }, remember: 'command' })
    request(requestOf('b', { args: { command: 'rm -rf /' } }))
    expect(outcomes()).toEqual(['answered'])
    request(requestOf('c', { args: { command: 'ls', description: 'In other words' } }))
    expect(outcomes()).toEqual(['answered', 'policy'])
  })

  test.each(['allow', 'deny'] as const)(
    'a question of an extension is for a person, whatever the policy (%s)',
    (policy) => {
      const dialog = { kind: 'select', title: 'Which?', options: ['production', 'staging'] }
      const { request, answer, outcomes } = open({ policy, allowances: new Set(['bash']) })
      request(requestOf('a', { kind: 'question', dialog }))
      expect(outcomes()).toEqual([])
      answer('a', { action: 'allow', value: 'staging', remember: 'tool' })
      request(requestOf('b', { kind: 'question', dialog }))
      expect(outcomes()).toEqual(['answered'])
    },
  )

  test('a denial is not an allowance', () => {
    const { request, answer, pending } = open()
    request(requestOf('a'))
    answer('a', { action: 'deny', remember: 'tool' })
    request(requestOf('b'))
    expect(pending()).toHaveLength(1)
  })
})
