import { createStamp } from '../../src/events/stamp.ts'
import type { AgentEvent, Block, Message, StampedEvent } from '../../src/events/types.ts'
import { emptyTotals } from '../../src/events/usage-sums.ts'
import { createLedger } from '../../src/ledger/ledger.ts'
import { insertUsageUpdates } from '../../src/ledger/usage-update.ts'
import type { Transcript } from '../../src/transcript/index.ts'
import { applyAll, emptyTranscript } from '../../src/transcript/index.ts'
import { decodeChunks, type Recording } from '../support/recordings.ts'

/** What a recording comes to: decoded, with the account, stamped. */
export const stampedEvents = ({ agent, bytes }: Recording): StampedEvent[] =>
  stampAll(insertUsageUpdates(createLedger(), decodeChunks(agent, [bytes()])))

/** Events in their places in the session `s`, a millisecond apart. */
export const stampAll = (events: readonly AgentEvent[]): StampedEvent[] => {
  let now = 1000
  return events.map(createStamp('s', () => (now += 1)))
}

/** What a reader sees after the events. */
export const transcriptOf = (...events: AgentEvent[]): Transcript =>
  applyAll(emptyTranscript(), stampAll(events))

type Parent = { parentToolCallId?: string }

export const start: AgentEvent = { type: 'agent_start' }
export const end: AgentEvent = { type: 'agent_end', stopReason: 'stop' }
export const text = (value: string): Block => ({ type: 'text', text: value })

export const open = (messageId: string, parent: Parent = {}): AgentEvent => ({
  type: 'message_start',
  messageRole: 'assistant',
  messageId,
  ...parent,
})
export const delta = (messageId: string, value: string, contentIndex = 0): AgentEvent => ({
  type: 'message_update',
  messageId,
  assistantMessageEvent: { type: 'text_delta', contentIndex, delta: value },
})
export const close = (
  messageId: string,
  content: Block[],
  more: Partial<Message> = {},
  parent: Parent = {},
): AgentEvent => ({
  type: 'message_end',
  messageId,
  message: { role: 'assistant', content, ...more },
  ...parent,
})
/** A whole message. */
export const say = (messageId: string, value: string, parent: Parent = {}): AgentEvent[] => [
  open(messageId, parent),
  close(messageId, [text(value)], {}, parent),
]

/** An account of one kind of tokens. */
export const usage = (input: number, costUsd: number): AgentEvent => ({
  type: 'usage_update',
  totals: {
    ...emptyTotals(),
    input,
    costUsd,
    provenance: { tokens: 'reported', cost: 'computed' },
  },
  byModel: {},
  context: null,
})

const named = (toolCallId: string) => ({ toolCallId, toolName: 'bash' })
export const call = (id: string, parent: Parent = {}): AgentEvent => ({
  type: 'tool_call',
  ...named(id),
  input: { command: 'ls' },
  ...parent,
})
export const begin = (id: string, parent: Parent = {}): AgentEvent => ({
  type: 'tool_execution_start',
  ...named(id),
  ...parent,
})
export const print = (id: string, outputDelta: string): AgentEvent => ({
  type: 'tool_execution_update',
  ...named(id),
  outputDelta,
})
export const finish = (id: string, more: object = {}): AgentEvent => ({
  type: 'tool_execution_end',
  ...named(id),
  ...more,
})
export const result = (id: string, value: string, isError = false): AgentEvent => ({
  type: 'tool_result',
  message: { role: 'toolResult', ...named(id), content: [text(value)], isError },
})
/** A whole tool. */
export const work = (id: string, value: string): AgentEvent[] => [
  call(id),
  begin(id),
  finish(id),
  result(id, value),
]
