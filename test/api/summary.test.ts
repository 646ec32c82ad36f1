import { describe, expect, test } from 'vitest'
import { liveSummary } from '../../src/api/session.ts'
import { activityOf, summaryOf } from '../../src/api/summary.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { emptyTotals } from '../../src/events/usage-sums.ts'
import { begin, call, end, open, result, start, transcriptOf } from '../transcript/events.ts'

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

describe('the activity of a session', () => {
  test.each<[what: string, events: AgentEvent[], activity: object]>([
    ['no events', [], { kind: 'idle' }],
    ['a run starts', [start], { kind: 'thinking' }],
    ['a message streams', [start, open('a')], { kind: 'thinking' }],
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
  const summary = summaryOf(
    transcriptOf(
      start,
      { type: 'usage_update', totals: emptyTotals(), byModel: {}, context },
      { type: 'queue_update', queued: { steering: ['a'], followUp: ['b', 'c'] } },
      approvalRequest,
    ),
  )
  expect(summary).toEqual({
    seq: 4,
    activity: { kind: 'approval', approvalKind: 'tool', toolName: 'bash' },
    turnState: 'turn_started',
    usage: emptyTotals(),
    context,
    pendingApprovals: 1,
    queuedMessages: 3,
  })
  expect(liveSummary.parse(summary)).toEqual(summary)
  expect(summaryOf(transcriptOf())).not.toHaveProperty('usage')
})
