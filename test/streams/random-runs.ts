import fc from 'fast-check'
import type { AgentEvent } from '../../src/events/types.ts'
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
  start,
  text,
} from '../transcript/events.ts'

/** Makes the events of something that a session does, with ids that begin with `id`. */
export type MakeEvents = (id: string) => AgentEvent[]

const shortText = fc.string({ unit: 'grapheme', maxLength: 40 })

const message: fc.Arbitrary<MakeEvents> = fc
  .array(shortText, { minLength: 1, maxLength: 12 })
  .map((parts) => (id) => [
    open(id),
    ...parts.map((part) => delta(id, part)),
    close(id, [text(parts.join(''))]),
  ])

const tool: fc.Arbitrary<MakeEvents> = fc
  .array(shortText, { maxLength: 6 })
  .map((parts) => (id) => [
    call(id),
    begin(id),
    ...parts.map((part) => printOutput(id, part)),
    finish(id, { exitCode: parts.length }),
    result(id, parts.join('')),
  ])

const retriedMessage: fc.Arbitrary<MakeEvents> = shortText.map((part) => (id) => [
  open(id),
  delta(id, part),
  close(id, [text(part)]),
  { type: 'message_withdrawn', messageId: id, reason: 'retried' },
  { type: 'auto_retry_start', attempt: 1, delayMs: 1, reason: part },
  { type: 'auto_retry_end', success: true },
])

const approval: fc.Arbitrary<MakeEvents> = fc.boolean().map((isAllowed) => (id) => [
  { type: 'approval_request', kind: 'tool', approvalId: id, toolName: 'bash' },
  {
    type: 'approval_resolved',
    approvalId: id,
    action: isAllowed ? 'allow' : 'deny',
    outcome: 'answered',
  },
])

const notices: fc.Arbitrary<MakeEvents> = shortText.map(
  (part): MakeEvents =>
    () => [
      { type: 'queue_update', queued: { steering: [part], followUp: [] } },
      { type: 'error', code: 'torn_line', message: part, fatal: false },
      { type: 'session_update', notice: { level: 'info', text: part } },
    ],
)

/** A run with up to eight such things. */
export const runs: fc.Arbitrary<MakeEvents> = fc
  .array(fc.oneof(message, message, tool, retriedMessage, approval, notices), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts) => (id) => [start, ...parts.flatMap((part, at) => part(`${id}.${at}`)), end])
