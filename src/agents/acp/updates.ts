import { type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'
import type { TextKind } from '../open-message.ts'
import type { AcpParts } from './reader.ts'
import type { CallSource } from './tools.ts'
import { commandsIn, contentBlock, todosIn } from './wire.ts'

/** Decodes a `session/update`. */
export const decodeUpdate = (parts: AcpParts, update: Fields, line: unknown) => {
  const { session, tools, usage, agent, emit } = parts
  const isCallUpdate = update.sessionUpdate === 'tool_call_update'
  tools.nextLine(isCallUpdate ? stringOf(update.toolCallId) : undefined)
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      return decodeChunk(parts, 'text', update)
    case 'agent_thought_chunk':
      return decodeChunk(parts, 'thinking', update)
    case 'tool_call':
      return decodeCall(parts, update, 'call')
    case 'tool_call_update':
      return decodeCall(parts, update, 'update')
    case 'usage_update':
      return usage.update(update)
    case 'config_option_update':
      return session.options(update)
    case 'current_mode_update':
      return session.changed('mode', stringOf(update.currentModeId))
    case 'available_commands_update':
      return session.lists({ commands: commandsIn(update) })
    case 'plan':
      return session.isOpening() ? undefined : session.lists({ todos: todosIn(update) })
    case 'notice':
      return decodeNotice(parts, update)
    // Only history has messages of the user: the events show them already.
    case 'user_message_chunk':
    // The title is a copy of the first prompt, and a person may have named the session.
    case 'session_info_update':
      return
    default:
      return emit({ type: 'raw', agent, line })
  }
}

const decodeChunk = (parts: AcpParts, kind: TextKind, update: Fields) => {
  const { session, messages, tools, usage } = parts
  // While a session is loaded, the agent repeats what the events show already.
  if (session.isOpening()) return
  const text = stringOf(fieldsOf(update.content).text)
  const mode = text === undefined ? undefined : session.dialect().modeIn?.(text)
  if (mode !== undefined) return session.changed('mode', mode)
  const notice = text === undefined ? undefined : session.dialect().noticeIn?.(text.trim())
  if (notice !== undefined)
    return parts.emit({ type: 'session_update', notice: { level: 'info', text: notice } })
  const { usage: ofCall } = fieldsOf(update._meta)
  if (ofCall !== undefined) usage.call(ofCall)
  if (text === '') return
  if (!parts.isExpected()) return emitLate(parts, update)
  tools.endRejected()
  messages.chunk(kind, update)
}

/** Text that belongs to no prompt. No line would end a run for it, so it is a message of its own. */
const emitLate = ({ emit, lateId }: AcpParts, { content }: Fields) => {
  const blocks = contentBlock(content)
  if (blocks.length === 0) return
  const messageId = lateId()
  emit({ type: 'message_start', messageRole: 'custom', messageId })
  emit({
    type: 'message_end',
    messageId,
    message: { role: 'custom', content: blocks, customType: 'late' },
  })
}

/** Decodes a line about a tool call. */
export const decodeCall = (parts: AcpParts, update: Fields, source: CallSource) => {
  const { session, tools, messages, run } = parts
  if (session.isOpening()) return
  tools.update(update, source)
  // A call outside of a prompt is a run of its own, until it is over.
  if (parts.isExpected() || !run.isOpen() || tools.isAnyOpen()) return
  messages.end({ stopReason: 'stop' })
  run.end({ stopReason: 'stop' })
}

const decodeNotice = ({ emit }: AcpParts, { severity, title, description }: Fields) => {
  const text = [title, description].filter((each) => typeof each === 'string').join(': ')
  emit({ type: 'session_update', notice: { level: stringOf(severity) ?? 'info', text } })
}
