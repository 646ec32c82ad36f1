import type { AgentEvent } from '../../events/types.ts'
import { defined, type Fields, fieldsOf, isFields, listOf, stringOf } from '../../shared/fields.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { createClaudeDecoder } from './decode.ts'
import { isBeside, isSkipped, streamLineOf } from './file-lines.ts'

/**
 * Reads the file in which Claude Code stores a conversation. Its lines are those of the stream, with
 * other envelopes. What only the stream has is made from them: where a session and a turn begin and end.
 */
export const createClaudeFileDecoder = (options: DecoderOptions = {}): Decoder => {
  const decoder = createClaudeDecoder(options)
  const turn = createTurnTracker()
  const isNews = createNewsFilter()
  let started: Fields | undefined
  /** What came before the first line that describes the session. */
  let early: Fields[] = []

  const push = (line: Fields): AgentEvent[] => decoder.push(streamLineOf(line))
  /** Starts a turn, with what the lines say about the session. */
  const init = (line: Fields): AgentEvent[] => {
    started = { ...started, ...sessionOf(line) }
    const waiting = early
    early = []
    const begun = decoder.push({ type: 'system', subtype: 'init', ...started })
    return [...begun, ...waiting.flatMap(push)]
  }
  const endTurn = (durationMs?: unknown): AgentEvent[] => {
    const result = turn.end()
    return result ? decoder.push({ ...result, duration_ms: durationMs }) : []
  }
  const settings = (line: Fields): AgentEvent[] => {
    if (!isNews(line)) return []
    if (started) return push(line)
    early.push(line)
    return []
  }
  const begin = (line: Fields): AgentEvent[] => {
    if (isPrompt(line)) {
      // The process that worked on the last prompt has died.
      const closed = turn.hasOpenCalls() ? decoder.end() : []
      return [...closed, ...init(line)]
    }
    return isNewModel(line, started) || (!started && isConversation(line)) ? init(line) : []
  }
  const decode = (line: Fields): AgentEvent[] => {
    if (isBeside(line)) return []
    const events = turn.isOver(line) ? endTurn(line.durationMs) : []
    if (isSkipped(line)) return events
    if (isSettings(line)) return [...events, ...settings(line)]
    events.push(...begin(line))
    turn.note(line)
    events.push(...push(line))
    if (turn.isCut()) events.push(...endTurn())
    return events
  }

  return {
    push: (line) => (isFields(line) ? decode(line) : decoder.push(line)),
    end: () => [...endTurn(), ...decoder.end()],
  }
}

const isSettings = ({ type }: Fields): boolean =>
  type === 'custom-title' || type === 'permission-mode'

const isConversation = ({ type }: Fields): boolean =>
  type === 'user' || type === 'assistant' || type === 'system'

/** Settings are written again and again. Only a change of one is news. */
const createNewsFilter = () => {
  const known = new Map<unknown, unknown>()
  return ({ type, customTitle, permissionMode }: Fields): boolean => {
    const value = type === 'custom-title' ? customTitle : permissionMode
    if (known.get(type) === value) return false
    known.set(type, value)
    return true
  }
}

const sessionOf = (line: Fields): Fields =>
  defined({
    session_id: stringOf(line.sessionId),
    cwd: stringOf(line.cwd),
    claude_code_version: stringOf(line.version),
    permissionMode: stringOf(line.permissionMode),
    model: modelOf(line),
  })

const modelOf = (line: Fields): string | undefined => {
  const model = stringOf(fieldsOf(line.message).model)
  return model === '<synthetic>' ? undefined : model
}

/** The first answer of a model names it: a prompt does not. */
const isNewModel = (line: Fields, started: Fields | undefined): boolean => {
  if (line.type !== 'assistant' || line.isSidechain === true) return false
  const model = modelOf(line)
  return model !== undefined && model !== started?.model
}

/** Whether a line is a message of a person to the model. */
const isPrompt = (line: Fields): boolean => {
  if (line.type !== 'user' || line.isSidechain === true || line.isCompactSummary === true)
    return false
  const { content } = fieldsOf(line.message)
  if (typeof content === 'string')
    return !/^\s*<(?:local-command|command-|task-notif)/.test(content)
  const isWritten = listOf(content).some((block) => fieldsOf(block).type !== 'tool_result')
  return isWritten && !isStopMark(line)
}

const isStopMark = (line: Fields): boolean =>
  listOf(fieldsOf(line.message).content).some((block) =>
    (stringOf(fieldsOf(block).text) ?? '').startsWith('[Request interrupted by user'),
  )

/** Whether a line has what a command such as `/compact` printed: with it, the command is done. */
const isCommandOutput = (line: Fields): boolean =>
  (stringOf(fieldsOf(line.message).content) ?? stringOf(line.content) ?? '').startsWith(
    '<local-command-std',
  )

/** Follows a turn to its end, which no line of the file says. */
interface TurnTracker {
  note(line: Fields): void
  /** Whether the turn ended with the line before this one. */
  isOver(line: Fields): boolean
  /** Whether the last line ended the turn: by a person, or as the output of a command. */
  isCut(): boolean
  hasOpenCalls(): boolean
  /** The line that would end the turn in a stream; undefined when none is open. */
  end(): Fields | undefined
}

/** A message with one of these is not the last of its turn. */
const goesOn: ReadonlySet<unknown> = new Set([undefined, null, 'tool_use', 'pause_turn'])

const createTurnTracker = (): TurnTracker => {
  let isOpen = false
  let isInterrupted = false
  let isCommandDone = false
  let lastId: unknown
  let stopReason: unknown
  const openCalls = new Set<unknown>()

  return {
    note(line) {
      if (line.isSidechain === true) return
      const message = fieldsOf(line.message)
      if (line.type === 'assistant') {
        isOpen = true
        lastId = message.id
        stopReason = message.stop_reason
      } else if (isPrompt(line)) {
        isOpen = true
        openCalls.clear()
        stopReason = undefined
      }
      for (const block of listOf(message.content).map(fieldsOf)) {
        if (block.type === 'tool_use') openCalls.add(block.id)
        if (block.type === 'tool_result') openCalls.delete(block.tool_use_id)
      }
      if (line.type === 'user' && isStopMark(line)) isInterrupted = true
      if (isCommandOutput(line)) isCommandDone = !isOpen
    },
    isOver: (line) => isOpen && !goesOn.has(stopReason) && fieldsOf(line.message).id !== lastId,
    isCut: () => isInterrupted || isCommandDone,
    hasOpenCalls: () => openCalls.size > 0,
    end() {
      const isAborted = isInterrupted
      if (!isCommandDone && (!isOpen || (!isAborted && goesOn.has(stopReason)))) return undefined
      isOpen = false
      isInterrupted = false
      isCommandDone = false
      openCalls.clear()
      return isAborted
        ? { type: 'result', subtype: 'error_during_execution', is_error: true }
        : { type: 'result', subtype: 'success', stop_reason: stopReason }
    },
  }
}
