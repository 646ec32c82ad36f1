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
  print,
  result,
  start,
  text,
} from '../transcript/events.ts'

/** Something that a session does, as events; `id` keeps it apart from all others. */
export type Act = (id: string) => AgentEvent[]

const words = fc.string({ unit: 'grapheme', maxLength: 40 })

const speech: fc.Arbitrary<Act> = fc
  .array(words, { minLength: 1, maxLength: 12 })
  .map((parts) => (id) => [
    open(id),
    ...parts.map((part) => delta(id, part)),
    close(id, [text(parts.join(''))]),
  ])

const tool: fc.Arbitrary<Act> = fc
  .array(words, { maxLength: 6 })
  .map((parts) => (id) => [
    call(id),
    begin(id),
    ...parts.map((part) => print(id, part)),
    finish(id, { exitCode: parts.length }),
    result(id, parts.join('')),
  ])

const broken: fc.Arbitrary<Act> = words.map((part) => (id) => [
  open(id),
  delta(id, part),
  close(id, [text(part)]),
  { type: 'message_withdrawn', messageId: id, reason: 'retried' },
  { type: 'auto_retry_start', attempt: 1, delayMs: 1, reason: part },
  { type: 'auto_retry_end', success: true },
])

const question: fc.Arbitrary<Act> = fc.boolean().map((isAllowed) => (id) => [
  { type: 'approval_request', approvalId: id, toolName: 'bash' },
  {
    type: 'approval_resolved',
    approvalId: id,
    action: isAllowed ? 'allow' : 'deny',
    outcome: 'answered',
  },
])

const remark: fc.Arbitrary<Act> = words.map(
  (part): Act =>
    () => [
      { type: 'queue_update', queued: { steering: [part], followUp: [] } },
      { type: 'error', code: 'torn_line', message: part, fatal: false },
      { type: 'session_update', notice: { level: 'info', text: part } },
    ],
)

/** A run of some acts. */
export const acts: fc.Arbitrary<Act> = fc
  .array(fc.oneof(speech, speech, tool, broken, question, remark), { minLength: 1, maxLength: 8 })
  .map((parts) => (id) => [start, ...parts.flatMap((part, at) => part(`${id}.${at}`)), end])
