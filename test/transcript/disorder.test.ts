import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AgentEvent, Snapshot } from '../../src/events/types.ts'
import {
  applyEvents,
  emptyTranscript,
  fromSnapshot,
  runningTools,
  toSnapshot,
} from '../../src/transcript/index.ts'
import {
  begin,
  call,
  close,
  delta,
  end,
  finish,
  open,
  printOutput,
  result,
  stampAll,
  start,
  text,
} from './events.ts'

const id = fc.constantFrom('a', 'b', 'c')
const parent = fc.constantFrom({}, {}, { parentToolCallId: 'a' }, { parentToolCallId: 'b' })
const someText = fc.constantFrom('x', 'yy', '')

/** Any event about a few messages and tools, in order or not. */
const anyEvent: fc.Arbitrary<AgentEvent> = fc.oneof(
  fc.constantFrom<AgentEvent>(
    start,
    end,
    { type: 'compaction_start' },
    { type: 'compaction_end', summary: 'So far.' },
    { type: 'compaction_end', errorMessage: 'No.' },
    { type: 'session_update', reset: true },
    { type: 'session_update', notice: { level: 'info', text: 'By the way.' } },
    { type: 'auto_retry_start', attempt: 1, delayMs: 1, reason: 'busy' },
  ),
  fc.tuple(id, parent).map(([each, inner]) => open(each, inner)),
  fc.tuple(id, someText, fc.nat(3), parent).map(([each, word, index, inner]) => ({
    ...delta(each, word, index),
    ...inner,
  })),
  fc.tuple(id, someText, parent).map(([each, word, inner]) => close(each, [text(word)], {}, inner)),
  fc.tuple(id, fc.nat(2), parent).map(
    ([messageId, fromContentIndex, inner]): AgentEvent => ({
      type: 'message_withdrawn',
      messageId,
      reason: 'retried',
      fromContentIndex,
      ...inner,
    }),
  ),
  fc.tuple(id, parent).map(([each, inner]) => call(each, inner)),
  fc.tuple(id, parent).map(([each, inner]) => begin(each, inner)),
  fc.tuple(id, someText).map(([each, word]) => printOutput(each, word)),
  id.map((each) => finish(each)),
  fc.tuple(id, someText, fc.boolean()).map(([each, word, isError]) => result(each, word, isError)),
  id.map((each): AgentEvent => ({ type: 'subagent_start', toolCallId: each })),
  id.map((each): AgentEvent => ({ type: 'subagent_end', toolCallId: each })),
  id.map(
    (each): AgentEvent => ({
      type: 'approval_request',
      kind: 'tool',
      approvalId: each,
      toolCallId: each,
    }),
  ),
  id.map(
    (each): AgentEvent => ({
      type: 'approval_resolved',
      approvalId: each,
      action: 'allow',
      outcome: 'answered',
      updatedInput: { command: 'rm' },
    }),
  ),
)

test('events in any order are accepted, and a snapshot after any event has the whole state', () => {
  const holds = (events: AgentEvent[], length: number) => {
    const stamped = stampAll(events)
    const prefix = applyEvents(emptyTranscript('s'), stamped.slice(0, length))
    const snapshot: Snapshot = JSON.parse(JSON.stringify(toSnapshot(prefix, { projectId: 'p' })))
    const all = applyEvents(prefix, stamped.slice(length))
    const resumed = applyEvents(fromSnapshot(snapshot), stamped.slice(length))
    if (!isDeepStrictEqual(resumed, all)) expect(resumed).toStrictEqual(all)
    expect(runningTools(all).every((tool) => tool.status === 'running')).toBe(true)
  }
  fc.assert(fc.property(fc.array(anyEvent, { maxLength: 60, size: 'max' }), fc.nat(60), holds), {
    numRuns: 2000,
  })
})
