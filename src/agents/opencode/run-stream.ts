import { type Fields, fieldsOf, isFields, stringOf } from '../../shared/fields.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { createOpenCodeParts, type OpenCodeParts } from './parts.ts'
import { reportedErrorOf } from './wire.ts'

/** Reads `opencode run --format json`: complete parts and errors, and no line at the end. */
export const createRunDecoder = (options: DecoderOptions = {}): Decoder => {
  const parts = createOpenCodeParts(options)
  return {
    push(line) {
      if (isFields(line)) decodeLine(parts, line)
      else parts.raw(line)
      return parts.take()
    },
    end() {
      endRun(parts)
      return parts.take()
    },
  }
}

/** Whether `opencode run` prints such a line. */
export const isRunLine = (line: unknown): boolean =>
  isFields(line) && lineTypes.has(stringOf(line.type) ?? '') && typeof line.sessionID === 'string'

const lineTypes = new Set(['step_start', 'step_finish', 'text', 'reasoning', 'tool_use', 'error'])

const decodeLine = (parts: OpenCodeParts, line: Fields) => {
  const part = fieldsOf(line.part)
  if (!isRunLine(line)) return parts.raw(line)
  parts.startSession(stringOf(line.sessionID))
  parts.messages.flush(stringOf(part.messageID))
  if (line.type === 'error') return parts.messages.fail(reportedErrorOf(line.error))
  if (!parts.messages.part(part)) parts.raw(line)
}

/** The stream ends without a word. It is complete if nothing would have followed. */
const endRun = (parts: OpenCodeParts) => {
  const isOpen = parts.messages.isOpen()
  const { stopReason = 'toolUse' } = parts.run.outcome()
  parts.close()
  if (isOpen || stopReason === 'toolUse') parts.run.interrupt()
  else parts.run.end()
}
