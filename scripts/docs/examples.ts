/** Recordings with good examples. They are preferred over others. */
export const preferredRecordings: readonly string[] = [
  'pi/1.5.0/multi-turn-5',
  'claude/2.1.325/bash',
  'claude/2.1.325/partial-diethink',
  'claude/2.1.325/bi-perm-interrupt',
  'claude/2.1.325/agent-forward',
  'pi/1.5.0/rpc-queue-modes-all',
  'pi/1.5.0/compaction-overflow',
  'claude/2.1.325/retry529',
  'claude/2.1.325/unknownblock',
]

/** Text that the example of an event should contain, where the first event shows little. */
export const preferredContent: Readonly<Record<string, string>> = {
  session_start: '"agentVersion"',
  session_update: '"notice"',
  usage_update: '"source"',
  message_start: '"assistant"',
  message_update: '"text_delta"',
  message_end: '"assistant"',
  queue_update: '"followUp":["',
}

/** Examples of events that no recording contains: server events, and lines of future agents. */
export const handwritten: Readonly<Record<string, object>> = {
  raw: {
    type: 'raw',
    agent: 'pi',
    line: { type: 'weather_report', sky: 'clear' },
    sessionId: 's1',
    seq: 12,
    timestamp: 1_767_225_600_000,
  },
  budget_update: {
    type: 'budget_update',
    level: 'warning',
    budget: { budgetId: 'own', scope: 'session', measure: 'costUsd', limit: 5, spent: 4.12 },
    sessionId: 's1',
    seq: 80,
    timestamp: 1_767_225_600_000,
  },
  message_delivery: {
    type: 'message_delivery',
    messageId: '0b7c5f9e-9a55-4a0f-8d0f-2f3a7f1f6c11',
    commandId: '0b7c5f9e-9a55-4a0f-8d0f-2f3a7f1f6c11',
    state: 'taken',
    sessionId: 's1',
    seq: 5,
    timestamp: 1_767_225_600_000,
  },
  turn_state: {
    type: 'turn_state',
    oldState: 'turn_started',
    newState: 'step_started',
    sessionId: 's1',
    seq: 4,
    timestamp: 1_767_225_600_000,
  },
  snapshot: {
    type: 'snapshot',
    sessionId: 's1',
    projectId: 'p1',
    messages: [
      {
        messageId: 'm1',
        role: 'user',
        content: [{ type: 'text', text: 'Why does the build fail?' }],
      },
    ],
    isStreaming: true,
    seq: 9,
    agent: 'pi',
    partial: {
      messageId: 'm2',
      role: 'assistant',
      content: [{ type: 'text', text: 'I will look at the lo' }],
      place: 1,
    },
    queued: { steering: [], followUp: ['Then run the tests.'] },
    turnState: 'step_started',
  },
  resume: { type: 'resume', verdict: 'ok', after: 9 },
  slow_consumer: { type: 'slow_consumer', after: 120 },
  recovered: { type: 'recovered' },
  session_damaged: {
    type: 'session_damaged',
    sessionId: 's1',
    after: 119,
    reason: 'Event 120 is missing or damaged. The events before it can be read.',
  },
  degraded: { type: 'degraded', reason: 'The log cannot be written. New events are not stored.' },
}
