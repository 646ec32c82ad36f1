import { createStamp } from '../../src/events/stamp.ts'
import type { AgentEvent, Block, Message, StampedEvent } from '../../src/events/types.ts'
import { emptyTotals } from '../../src/events/usage-sums.ts'
import { createLedger } from '../../src/ledger/ledger.ts'
import { insertUsageUpdates } from '../../src/ledger/usage-update.ts'
import type { Transcript } from '../../src/transcript/index.ts'
import { applyEvents, emptyTranscript } from '../../src/transcript/index.ts'
import { decodeChunks, type Recording } from '../support/recordings.ts'

/** The events of a recording with usage updates and envelopes. */
export const stampedEvents = ({ agent, bytes }: Recording): StampedEvent[] =>
  stampAll(insertUsageUpdates(createLedger(), decodeChunks(agent, [bytes()])))

/** Events of the session `s` with their envelopes, a millisecond apart. */
export const stampAll = (events: readonly AgentEvent[]): StampedEvent[] => {
  let now = 1000
  return events.map(createStamp('s', () => (now += 1)))
}

/** The transcript after the events. */
export const transcriptOf = (...events: AgentEvent[]): Transcript =>
  applyEvents(emptyTranscript(), stampAll(events))

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
/** The events of a whole message. */
export const wholeMessage = (
  messageId: string,
  value: string,
  parent: Parent = {},
): AgentEvent[] => [open(messageId, parent), close(messageId, [text(value)], {}, parent)]

/** Usage with one kind of tokens. */
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

const toolFields = (toolCallId: string) => ({ toolCallId, toolName: 'bash' })
export const call = (id: string, parent: Parent = {}): AgentEvent => ({
  type: 'tool_call',
  ...toolFields(id),
  input: { command: 'ls' },
  ...parent,
})
export const begin = (id: string, parent: Parent = {}): AgentEvent => ({
  type: 'tool_execution_start',
  ...toolFields(id),
  ...parent,
})
export const printOutput = (id: string, outputDelta: string): AgentEvent => ({
  type: 'tool_execution_update',
  ...toolFields(id),
  outputDelta,
})
export const finish = (id: string, more: object = {}): AgentEvent => ({
  type: 'tool_execution_end',
  ...toolFields(id),
  ...more,
})
export const result = (id: string, value: string, isError = false): AgentEvent => ({
  type: 'tool_result',
  message: { role: 'toolResult', ...toolFields(id), content: [text(value)], isError },
})
/** The events of a whole tool call. */
export const wholeTool = (id: string, value: string): AgentEvent[] => [
  call(id),
  begin(id),
  finish(id),
  result(id, value),
]
