import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
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

  test('is closed when its tool ends without an answer, but a dialog of an extension is not', () => {
    const { request, toolEnded, pending, outcomes, replies } = open()
    request(requestOf('a'))
    request(requestOf('b'))
    request(requestOf('c', { toolCallId: 'call a', kind: 'question', dialog: { kind: 'confirm' } }))
    toolEnded('call a')
    expect(pending().map(({ approvalId }) => approvalId)).toEqual(['b', 'c'])
    expect([outcomes(), replies]).toEqual([['cancelled'], []])
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
    const { request, events, replies, pending } = open()
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
      ['a', { action: 'deny', message: 'Denied: nobody answered in time.', isUnanswered: true }],
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

describe('with the real timers', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())
  const hour = 60 * 60 * 1000
  const openWithTimers = (options: Partial<ApprovalOptions> = {}) => {
    const reply = vi.fn()
    const emit = vi.fn()
    const approvals = createApprovals({ now: Date.now, emit, reply, ...options })
    approvals.request(requestOf('a'))
    const [{ approvalId = '' } = {}] = approvals.pending()
    return { ...approvals, approvalId, reply }
  }

  test('an approval works after an hour', () => {
    const { pending, answer, approvalId, reply } = openWithTimers()
    vi.advanceTimersByTime(hour)
    expect(pending()).toHaveLength(1)
    expect(answer(approvalId, { action: 'allow' })).toBe(true)
    expect(reply).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ approvalId: 'a' }),
      expect.objectContaining({ action: 'allow' }),
    )
  })

  test('a time limit of many days holds, although Node’s timers are shorter', () => {
    const { pending } = openWithTimers({ deadlineMs: 30 * 24 * hour })
    vi.advanceTimersByTime(29 * 24 * hour)
    expect(pending()).toHaveLength(1)
    vi.advanceTimersByTime(24 * hour)
    expect(pending()).toEqual([])
  })
})

describe('without a person', () => {
  const allowed = { action: 'allow', by: 'rule', message: 'Allowed.' } as const
  /** Rules that allow everything, and what is added to them. */
  const rules = (covers = true) => {
    const remember = vi.fn()
    return { decide: () => allowed, covers: vi.fn(() => covers), remember }
  }
  const undecided = (covers = true) => ({ ...rules(covers), decide: () => undefined })
  const rule = { tool: 'bash', pattern: 'ls' }
  const remembered = { scope: 'session', rule } as const

  test('rules decide about tools, and the outcome names them', () => {
    const { request, events, replies } = open({ rules: rules() })
    request(requestOf('a'))
    expect(ofType(events, 'approval_resolved')).toMatchObject([
      { action: 'allow', outcome: 'policy', by: 'rule', message: 'Allowed.' },
    ])
    expect(replies).toMatchObject([['a', { action: 'allow' }]])
  })

  test('no rule takes a choice that holds for good', () => {
    const { request, outcomes, answer } = open({ rules: rules() })
    request(requestOf('a', { options: [{ id: 'x', label: 'Always', kind: 'allow_always' }] }))
    expect(outcomes()).toEqual([])
    expect(answer('a', { action: 'allow' })).toBe(false)
    expect(answer('a', { action: 'allow', optionId: 'x' })).toBe(true)
  })

  test.each(['question', 'plan'] as const)('no rule decides a %s, or is added by it', (kind) => {
    const all = rules()
    const { request, answer, outcomes } = open({ rules: all })
    request(requestOf('a', { kind }))
    expect(outcomes()).toEqual([])
    answer('a', { action: 'allow', remember: remembered })
    expect(outcomes()).toEqual(['answered'])
    expect(all.remember).not.toHaveBeenCalled()
  })

  test('an answer adds a rule that covers the call', () => {
    const none = undecided()
    const { request, answer } = open({ rules: none })
    request(requestOf('a'))
    answer('a', { action: 'allow', by: 'me', remember: remembered })
    expect(none.remember).toHaveBeenCalledExactlyOnceWith('session', rule, 'me')
  })

  test('a rule must cover the call as the person rewrote it', () => {
    const none = undecided()
    const { request, answer } = open({ rules: none })
    request(requestOf('a', { args: { command: 'rm -rf /' } }))
    const updatedInput = { command: 'ls' }
    answer('a', { action: 'allow', updatedInput, remember: remembered })
    expect(none.covers).toHaveBeenCalledWith(rule, { toolName: 'bash', args: updatedInput })
  })

  test('an answer adds nothing that does not cover its call, and a denial adds nothing', () => {
    for (const [none, action] of [
      [undecided(false), 'allow'],
      [undecided(), 'deny'],
    ] as const) {
      const { request, answer, outcomes } = open({ rules: none })
      request(requestOf('a'))
      answer('a', { action, remember: remembered })
      expect(outcomes()).toEqual(['answered'])
      expect(none.remember).not.toHaveBeenCalled()
    }
  })
})
