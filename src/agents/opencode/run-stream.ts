import { type Fields, fieldsOf, isFields, stringOf } from '../../shared/fields.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { createOpenCodeParts, type OpenCodeParts } from './parts.ts'
import type { OpenCodeOutcome } from './run.ts'
import type { OpenCodeCall } from './tools.ts'
import { reportedErrorOf } from './wire.ts'

/** Reads `opencode run --format json`: complete parts and errors, and no line at the end. */
export const createRunDecoder = (options: DecoderOptions = {}): Decoder => {
  const parts = createOpenCodeParts(options, refused)
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

/** Nobody was asked: `opencode run` refuses by itself whatever its settings would ask about. */
const refused = ({ name }: OpenCodeCall): OpenCodeOutcome => ({
  stopReason: 'error',
  errorMessage: [
    `OpenCode refused a call of ${name}: its settings want a person to decide (\`ask\`), and \`opencode run\` cannot ask anybody.`,
    'Use `sluice chat opencode` to decide yourself, or add `-- --auto` to `sluice run` to allow what the settings do not deny.',
  ].join(' '),
  code: 'approval_unavailable',
})

/** The stream ends without a word. It is complete if nothing would have followed. */
const endRun = (parts: OpenCodeParts) => {
  const isOpen = parts.messages.isOpen()
  const { stopReason = 'toolUse', code, errorMessage: message = '' } = parts.run.outcome()
  parts.close()
  if (code) parts.emit({ type: 'error', code, message, fatal: false })
  if (isOpen || stopReason === 'toolUse') parts.run.interrupt()
  else parts.run.end()
}
