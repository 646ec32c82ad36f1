import type { AgentEvent } from '../../events/types.ts'
import { type Fields, fieldsOf, isFields, listOf, stringOf } from '../../shared/fields.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { createPiDecoder } from './decode.ts'

/** Whether a line is from a session file. Its header is also the first line of a stream. */
export const isPiFileLine = (line: unknown): boolean =>
  isFields(line) && line.parentId !== undefined && stringOf(line.id) !== undefined

/** Whether a line is from a stream only. */
export const isPiStreamLine = (line: unknown): boolean =>
  !isPiFileLine(line) && !(isFields(line) && line.type === 'session')

/**
 * Reads the file in which Pi stores a conversation: its messages, each when it was complete. Where runs
 * and turns begin and end follows from them.
 */
export const createPiFileDecoder = (options: DecoderOptions = {}): Decoder => {
  const decoder = createPiDecoder(options)
  const lines = createStreamLines()
  const decode = (made: readonly (Fields | Death)[]): AgentEvent[] =>
    made.flatMap((line) => (line === 'death' ? decoder.end() : decoder.push(line)))

  return {
    push: (line) => (isFields(line) ? decode(lines.of(line)) : decoder.push(line)),
    end: () => [...decode(lines.settle()), ...decoder.end()],
  }
}

/** The process has died in the middle of its work: nothing of it follows. */
type Death = 'death'

/** The lines that a stream would have, made from those of a file. */
interface StreamLines {
  of(entry: Fields): (Fields | Death)[]
  /** Ends a run whose last message is known to be its last. */
  settle(): Fields[]
}

const createStreamLines = (): StreamLines => {
  let isRunning = false
  let attempt = 0
  /** The last answer failed. Whether Pi tries again, the next line says. */
  let failed: Fields | undefined
  let answer: Fields | undefined
  const openCalls = new Set<unknown>()

  const end = (): Fields[] => {
    if (!isRunning) return []
    isRunning = false
    failed = undefined
    attempt = 0
    openCalls.clear()
    return [{ type: 'agent_end' }, { type: 'agent_settled' }]
  }
  const begin = (): Fields[] => {
    if (isRunning) return []
    isRunning = true
    return [{ type: 'agent_start' }]
  }
  const user = (message: Fields): (Fields | Death)[] => {
    // Without the results of its calls, the process that made them has died. A new one begins.
    const hasDied = openCalls.size > 0 && end().length > 0
    return [...(hasDied ? ['death' as const] : []), ...begin(), ...whole(message)]
  }
  const assistant = (message: Fields): Fields[] => {
    answer = message
    const calls = listOf(message.content).map(fieldsOf).filter(isCall)
    for (const { id } of calls) openCalls.add(id)
    const made = [...begin(), { type: 'turn_start' }, ...whole(message), ...calls.map(callLine)]
    if (calls.length > 0 && message.stopReason === 'toolUse') return made
    const done = [...made, { type: 'turn_end', message }]
    if (message.stopReason !== 'error') return [...done, ...end()]
    failed = message
    return done
  }
  const toolResult = (message: Fields): Fields[] => {
    openCalls.delete(message.toolCallId)
    const made = [...begin(), resultLine(message), ...whole(message)]
    return openCalls.size > 0 ? made : [...made, { type: 'turn_end', message: answer }]
  }
  const message = (given: Fields): (Fields | Death)[] => {
    switch (given.role) {
      case 'user':
        return user(given)
      case 'assistant':
        return assistant(given)
      case 'toolResult':
        return toolResult(given)
      default:
        return [...begin(), ...whole(given)]
    }
  }
  const retry = (): Fields[] => {
    const errorMessage = failed?.errorMessage
    failed = undefined
    attempt += 1
    return [
      { type: 'agent_end', willRetry: true },
      { type: 'auto_retry_start', attempt, errorMessage },
    ]
  }

  return {
    of(entry) {
      if (failed && entry.type === 'context_edit') return retry()
      if (entry.type !== 'message') return [...(failed ? end() : []), ...other(entry)]
      const given = fieldsOf(entry.message)
      // Earlier versions only write the next attempt.
      const before = failed ? (given.role === 'assistant' ? retry() : end()) : []
      return [...before, ...message(given)]
    },
    settle: () => (failed ? end() : []),
  }
}

const whole = (message: Fields): Fields[] => [
  { type: 'message_start', message },
  { type: 'message_end', message },
]

const isCall = (block: Fields): boolean => block.type === 'toolCall'

const callLine = ({ id, name, arguments: args }: Fields): Fields => ({
  type: 'tool_execution_start',
  ...{ toolCallId: id, toolName: name, args },
})

const resultLine = ({ toolCallId, toolName, content, details, isError }: Fields): Fields => ({
  type: 'tool_execution_end',
  ...{
    toolCallId,
    toolName,
    isError,
    result: { content, ...(details !== undefined && { details }) },
  },
})

/** An entry that is no message. */
const other = (entry: Fields): Fields[] => {
  switch (entry.type) {
    case 'model_change':
      return [setModel(entry)]
    case 'thinking_level_change':
      return [{ type: 'thinking_level_changed', level: entry.thinkingLevel }]
    case 'session_info':
      return [{ type: 'session_info_changed', name: entry.name }]
    case 'compaction':
      return [{ type: 'compaction_start' }, { type: 'compaction_end', result: entry }]
    // Nothing that a reader needs: what extensions and the tree of entries store.
    case 'context_edit':
    case 'custom':
    case 'custom_message':
    case 'branch_summary':
    case 'label':
      return []
    default:
      return [entry]
  }
}

/** What Pi answers when its model is changed. */
const setModel = ({ provider, modelId }: Fields): Fields => ({
  type: 'response',
  command: 'set_model',
  success: true,
  data: { provider, id: modelId },
})
