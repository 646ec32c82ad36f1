import { describe, expect, test } from 'vitest'
import { liveSummary } from '../../src/api/session.ts'
import { activityOf, summaryOf } from '../../src/api/summary.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { emptyTotals } from '../../src/events/usage-sums.ts'
import { begin, call, delta, end, open, result, start, transcriptOf } from '../transcript/events.ts'

const approvalRequest: AgentEvent = {
  type: 'approval_request',
  kind: 'tool',
  approvalId: 'x',
  toolName: 'bash',
}
const decision: AgentEvent = {
  type: 'approval_resolved',
  approvalId: 'x',
  action: 'allow',
  outcome: 'answered',
}
const retry: AgentEvent = { type: 'auto_retry_start', attempt: 1, delayMs: 9, reason: 'busy' }

const sent: AgentEvent[] = [
  { type: 'message_start', messageRole: 'user', messageId: 'u' },
  {
    type: 'message_end',
    messageId: 'u',
    message: { role: 'user', content: [{ type: 'text', text: 'Hi' }], delivery: 'sent' },
  },
]
const taken: AgentEvent = {
  type: 'message_delivery',
  messageId: 'u',
  commandId: 'c',
  state: 'taken',
}
const thought: AgentEvent = {
  type: 'message_update',
  messageId: 'a',
  assistantMessageEvent: { type: 'thinking_delta', contentIndex: 0, delta: 'Hm' },
}

describe('the activity of a session', () => {
  test.each<[what: string, events: AgentEvent[], activity: object]>([
    ['no events', [], { kind: 'idle' }],
    ['a run starts', [start], { kind: 'thinking' }],
    ['a message is on its way', [start, ...sent], { kind: 'starting' }],
    ['the agent took it', [start, ...sent, taken], { kind: 'thinking' }],
    ['a message begins', [start, open('a')], { kind: 'thinking' }],
    ['the model thinks', [start, open('a'), thought], { kind: 'thinking' }],
    ['a message streams', [start, open('a'), thought, delta('a', 'Hi', 1)], { kind: 'writing' }],
    [
      'a tool runs',
      [start, call('t'), begin('t')],
      { kind: 'tool', toolName: 'bash', since: 1003 },
    ],
    ['a tool ended', [start, call('t'), begin('t'), result('t', '')], { kind: 'thinking' }],
    [
      'an approval is pending',
      [start, call('t'), approvalRequest],
      { kind: 'approval', approvalKind: 'tool', toolName: 'bash' },
    ],
    [
      'an approval was decided',
      [start, call('t'), approvalRequest, decision],
      { kind: 'tool', toolName: 'bash', since: 1002 },
    ],
    ['a model call is retried', [start, retry], { kind: 'retrying', detail: 'busy', since: 1002 }],
    [
      'the context is compacted',
      [{ type: 'compaction_start' }],
      { kind: 'compacting', since: 1001 },
    ],
    ['the run is over', [start, end], { kind: 'idle' }],
    ['a run was aborted', [start, { type: 'agent_end', stopReason: 'aborted' }], { kind: 'idle' }],
    [
      'a run failed',
      [start, { type: 'agent_end', stopReason: 'error', errorMessage: 'No credit.' }],
      { kind: 'failed', detail: 'No credit.' },
    ],
    ['the agent died', [start, { type: 'agent_end', interrupted: true }], { kind: 'failed' }],
  ])('%s', (_, events, activity) => {
    expect(activityOf(transcriptOf(...events))).toEqual(activity)
  })
})

test('a summary has what is known, and matches its schema', () => {
  const context = { used: 5, window: 10, percent: 50, source: 'last_call' } as const
  const budget = {
    budgetId: 'own',
    scope: 'session',
    measure: 'tokens',
    limit: 10,
    spent: 9,
  } as const
  const summary = summaryOf(
    transcriptOf(
      start,
      { type: 'usage_update', totals: emptyTotals(), byModel: {}, context },
      { type: 'queue_update', queued: { steering: ['a'], followUp: ['b', 'c'] } },
      approvalRequest,
      { type: 'budget_update', level: 'warning', budget },
    ),
  )
  expect(summary).toEqual({
    seq: 5,
    activity: { kind: 'approval', approvalKind: 'tool', toolName: 'bash' },
    turnState: 'turn_started',
    usage: emptyTotals(),
    context,
    pendingApprovals: 1,
    queuedMessages: 3,
    budgets: [budget],
  })
  expect(liveSummary.parse(summary)).toEqual(summary)
  expect(Object.keys(summaryOf(transcriptOf()))).not.toContain('budgets')
  expect(summaryOf(transcriptOf())).not.toHaveProperty('usage')
})
