import { type Fields, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'

/** Follows a turn to its end, which no line of a session file says. */
export interface FileTurns {
  note(line: Fields): void
  /** Whether the turn ended with the line before this one. */
  isOver(line: Fields): boolean
  /** Whether the last line ended the turn: by a person, or as the output of a command. */
  isCut(): boolean
  hasOpenCalls(): boolean
  /** The id of the answer that a person interrupts with this line, while the model writes it. */
  interrupted(line: Fields): unknown
  /** The id of an answer that ends the turn, though its line does not say why it ended. */
  unexplained(): unknown
  /** The line that would end the turn in a stream; undefined when none is open. */
  end(): Fields | undefined
}

/** A message with one of these is not the last of its turn. */
const goesOn: ReadonlySet<unknown> = new Set([undefined, null, 'tool_use', 'pause_turn'])

export const createFileTurns = (): FileTurns => {
  let isOpen = false
  let isInterrupted = false
  let isCommandDone = false
  /** Claude Code itself wrote to the model behind its answer, such as what a hook says. */
  let isPrompted = false
  let lastId: unknown
  let stopReason: unknown
  /** The last line of an answer is a text. Old versions do not always write why it ended. */
  let isText = false
  /** The error in place of an answer. */
  let failure: string | undefined
  const openCalls = new Set<unknown>()

  const noteAnswer = (line: Fields): void => {
    const { id, stop_reason: reason } = fieldsOf(line.message)
    isOpen = true
    isPrompted = false
    lastId = id
    stopReason = reason
    failure = isApiError(line) ? lineText(line) : undefined
    isText = isWholeText(line)
  }
  const notePrompt = (): void => {
    isOpen = true
    openCalls.clear()
    lastId = undefined
    isText = false
    stopReason = undefined
    failure = undefined
  }
  const hasEnded = (): boolean => !goesOn.has(stopReason)
  /** Whether a line is of the same turn as the last answer of the model. */
  const isSameTurn = (line: Fields): boolean => {
    if (line.isMeta === true || line.subtype === 'stop_hook_summary') return true
    if (line.type !== 'assistant') return isPrompted && line.type === 'last-prompt'
    // An answer that was too long is followed by its rest.
    return fieldsOf(line.message).id === lastId || isPrompted || stopReason === 'max_tokens'
  }

  return {
    note(line) {
      if (line.isSidechain === true) return
      if (line.type === 'assistant') noteAnswer(line)
      else if (isPrompt(line)) notePrompt()
      else if (line.type === 'user' && line.isMeta === true) isPrompted = true
      noteCalls(openCalls, line)
      if (line.type === 'user' && isStopMark(line)) isInterrupted = true
      if (isCommandOutput(line)) isCommandDone = !isOpen
    },
    isOver: (line) => isOpen && (hasEnded() ? !isSameTurn(line) : isText && isPrompt(line)),
    isCut: () => isInterrupted || isCommandDone,
    hasOpenCalls: () => openCalls.size > 0,
    interrupted: (line) =>
      line.type === 'user' && isStopMark(line) && (stopReason === null || stopReason === undefined)
        ? lastId
        : undefined,
    unexplained: () => (isOpen && isText && !isInterrupted && !hasEnded() ? lastId : undefined),
    end() {
      const isAborted = isInterrupted
      const isAnswered = hasEnded() || isText
      if (!isCommandDone && (!isOpen || (!isAborted && !isAnswered))) return undefined
      isOpen = false
      isInterrupted = false
      isCommandDone = false
      isPrompted = false
      openCalls.clear()
      if (isAborted) return { type: 'result', subtype: 'error_during_execution', is_error: true }
      return failure === undefined
        ? { type: 'result', subtype: 'success', stop_reason: stopReason ?? 'end_turn' }
        : { type: 'result', subtype: 'success', is_error: true, result: failure }
    },
  }
}

const noteCalls = (open: Set<unknown>, { message }: Fields): void => {
  for (const block of listOf(fieldsOf(message).content).map(fieldsOf)) {
    if (block.type === 'tool_use') open.add(block.id)
    if (block.type === 'tool_result') open.delete(block.tool_use_id)
  }
}

/** Whether a line is a message of a person to the model. */
export const isPrompt = (line: Fields): boolean => {
  if (line.type !== 'user' || line.isSidechain === true) return false
  if (line.isCompactSummary === true || line.isMeta === true || isStopMark(line)) return false
  const { content } = fieldsOf(line.message)
  if (typeof content === 'string')
    return !/^\s*<(?:local-command|command-|bash-|task-notif)/.test(content)
  return listOf(content).some((block) => fieldsOf(block).type !== 'tool_result')
}

/** Whether an answer ends with the text of a line. Versions that say so write cut answers, too. */
const isWholeText = ({ message, isAbortedMidStream, uuid }: Fields): boolean =>
  uuid !== undefined &&
  isAbortedMidStream !== true &&
  fieldsOf(listOf(fieldsOf(message).content).at(-1)).type === 'text'

/** Whether a line says that the model could not be called. */
const isApiError = ({ error, isApiErrorMessage }: Fields): boolean =>
  isApiErrorMessage === true || (error !== undefined && isApiErrorMessage === undefined)

const isStopMark = (line: Fields): boolean =>
  lineTexts(line).some((text) => text.startsWith('[Request interrupted by user'))

/** Whether a line has what a command such as `/compact` printed: with it, the command is done. */
const isCommandOutput = (line: Fields): boolean =>
  (stringOf(fieldsOf(line.message).content) ?? stringOf(line.content) ?? '').startsWith(
    '<local-command-std',
  )

const lineTexts = ({ message }: Fields): string[] => {
  const { content } = fieldsOf(message)
  if (typeof content === 'string') return [content]
  return listOf(content).map((block) => stringOf(fieldsOf(block).text) ?? '')
}

/** The text of a message. */
export const lineText = (line: Fields): string => lineTexts(line).join('')
