import type { AgentEvent } from '../../events/types.ts'
import { type Fields, fieldsOf, isFields, listOf } from '../../shared/fields.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { createCopilotDecoder } from './decode.ts'
import { type CopilotTotals, createCopilotTotals } from './file-totals.ts'

/** Whether a line is from a session file only. */
export const isCopilotFileLine = (line: unknown): boolean =>
  isFields(line) && isFields(line.data) && fileTypes.has(line.type)

const fileTypes: ReadonlySet<unknown> = new Set([
  'session.start',
  'session.resume',
  'session.shutdown',
  'session.usage_record',
  'system.message',
])

/**
 * Reads the file in which Copilot stores a conversation: the lines of its stream without what is
 * ephemeral, and with the usage. The end of a run follows from them.
 */
export const createCopilotFileDecoder = (options: DecoderOptions = {}): Decoder => {
  const decoder = createCopilotDecoder(options)
  const parts: FileParts = {
    ...{ decoder, totals: createCopilotTotals() },
    ...{ isOpen: false, isSettled: false, hasCalls: false },
  }
  return {
    push: (line) => (isFields(line) ? decodeLine(parts, line) : decoder.push(line)),
    end: () => [...endRun(parts), ...decoder.end()],
  }
}

interface FileParts {
  readonly decoder: Decoder
  readonly totals: CopilotTotals
  isOpen: boolean
  /** The run is over if nothing follows. */
  isSettled: boolean
  /** The last message has calls, whose results the model gets. */
  hasCalls: boolean
}

const decodeLine = (parts: FileParts, line: Fields): AgentEvent[] => {
  const { decoder } = parts
  if (line.type === 'session.shutdown')
    parts.totals.final(fieldsOf(fieldsOf(line.data).modelMetrics))
  const before = isBorder(parts, line) ? endRun(parts) : []
  // The lines of subagents have an id of the subagent.
  if (line.agentId === undefined) follow(parts, line)
  const events = decoder.push(streamLine(parts, line))
  if (parts.isSettled) events.push(...decoder.push({ type: 'assistant.idle', data: {} }))
  return [...before, ...events]
}

/** Whether the run before a line is over: a person writes to an idle agent, or its process changes. */
const isBorder = ({ isSettled }: FileParts, { type, data, agentId }: Fields): boolean => {
  if (agentId !== undefined) return false
  if (type === 'session.start' || type === 'session.resume' || type === 'session.shutdown')
    return true
  return type === 'user.message' && (isSettled || fieldsOf(data).delivery === 'idle')
}

/** Follows the main agent. */
const follow = (parts: FileParts, { type, data }: Fields) => {
  if (!workTypes.test(String(type))) return
  parts.isOpen = true
  // Results of calls may still come after a run was stopped.
  if (type === 'abort' || type === 'session.error') parts.isSettled = true
  if (type === 'assistant.message') parts.hasCalls = listOf(fieldsOf(data).toolRequests).length > 0
  if (type === 'assistant.turn_end' && !parts.hasCalls) parts.isSettled = true
  if (type === 'user.message' || type === 'assistant.turn_start') {
    parts.isSettled = false
    parts.hasCalls = false
  }
}

const workTypes = /^(?:user\.message|assistant\..*|tool\..*|abort|session\.error)$/

const streamLine = ({ totals }: FileParts, line: Fields): Fields => {
  if (line.type !== 'session.usage_record') return line
  const usage = fieldsOf(fieldsOf(line.data).usage)
  totals.add(usage)
  return { ...line, type: 'assistant.usage', data: usage }
}

const endRun = (parts: FileParts): AgentEvent[] => {
  const { decoder, totals, isOpen, isSettled } = parts
  parts.isOpen = false
  parts.isSettled = false
  parts.hasCalls = false
  const ended = isOpen && isSettled ? decoder.push({ type: 'result' }) : decoder.end()
  const reported = totals.line()
  return reported ? [...ended, ...decoder.push(reported)] : ended
}
