import { describe, expect, test } from 'vitest'
import { liveSummary } from '../../src/api/session.ts'
import { activityOf, summaryOf } from '../../src/api/summary.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { emptyTotals } from '../../src/events/usage-sums.ts'
import { begin, call, end, open, result, start, transcriptOf } from '../transcript/events.ts'

const asked: AgentEvent = {
  type: 'approval_request',
  kind: 'tool',
  approvalId: 'x',
  toolName: 'bash',
}
const decided: AgentEvent = {
  type: 'approval_resolved',
  approvalId: 'x',
  action: 'allow',
  outcome: 'answered',
}
const retried: AgentEvent = { type: 'auto_retry_start', attempt: 1, delayMs: 9, reason: 'busy' }

describe('what a session is doing', () => {
  test.each<[what: string, events: AgentEvent[], activity: object]>([
    ['nothing yet', [], { kind: 'idle' }],
    ['a run has begun', [start], { kind: 'thinking' }],
    ['words come', [start, open('a')], { kind: 'thinking' }],
    [
      'a tool runs',
      [start, call('t'), begin('t')],
      { kind: 'tool', toolName: 'bash', since: 1003 },
    ],
    ['the tool is done', [start, call('t'), begin('t'), result('t', '')], { kind: 'thinking' }],
    [
      'a person is asked',
      [start, call('t'), asked],
      { kind: 'approval', approvalKind: 'tool', toolName: 'bash' },
    ],
    [
      'it was decided',
      [start, call('t'), asked, decided],
      { kind: 'tool', toolName: 'bash', since: 1002 },
    ],
    ['a call is tried again', [start, retried], { kind: 'retrying', detail: 'busy', since: 1002 }],
    [
      'the context is summed up',
      [{ type: 'compaction_start' }],
      { kind: 'compacting', since: 1001 },
    ],
    ['the run is over', [start, end], { kind: 'idle' }],
    ['a person ended it', [start, { type: 'agent_end', stopReason: 'aborted' }], { kind: 'idle' }],
    [
      'it failed',
      [start, { type: 'agent_end', stopReason: 'error', errorMessage: 'No money.' }],
      { kind: 'failed', detail: 'No money.' },
    ],
    ['the agent died', [start, { type: 'agent_end', interrupted: true }], { kind: 'failed' }],
  ])('%s', (_, events, activity) => {
    expect(activityOf(transcriptOf(...events))).toEqual(activity)
  })
})

test('a summary says what is known, and is what the wire takes', () => {
  const context = { used: 5, window: 10, percent: 50, source: 'last_call' } as const
  const summary = summaryOf(
    transcriptOf(
      start,
      { type: 'usage_update', totals: emptyTotals(), byModel: {}, context },
      { type: 'queue_update', queued: { steering: ['a'], followUp: ['b', 'c'] } },
      asked,
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
