import { defined, type Fields, fieldsOf, isFields, listOf, stringOf } from '../../shared/fields.ts'

/** A part of a message, as the lines of a stream that it stands for. */
export interface RecordedPart {
  text: string
  /** The call of a tool. */
  call?: Fields
  /** The results of calls. */
  results: Fields[]
}

/** The parts of a message. A text alone is one part. */
export const recordedParts = ({ content, timestamp }: Fields): RecordedPart[] =>
  typeof content === 'string'
    ? [{ text: content, results: [] }]
    : contentOf(content).map((part) => partOf(part, timestamp))

const contentOf = (content: unknown): Fields[] =>
  (isFields(content) ? [content] : listOf(content)).map((part) =>
    typeof part === 'string' ? { text: part } : fieldsOf(part),
  )

const partOf = (part: Fields, timestamp: unknown): RecordedPart => {
  const { functionCall, functionResponse } = part
  const text = part.thought === true ? '' : (stringOf(part.text) ?? '')
  if (isFields(functionCall)) return { text, call: callLine(functionCall, timestamp), results: [] }
  if (!isFields(functionResponse)) return { text, results: [] }
  const { id, response } = functionResponse
  const { output, error } = fieldsOf(response)
  const status = error === undefined ? 'success' : 'error'
  const result = { type: 'tool_result', timestamp, tool_id: id, status, output: output ?? error }
  return { text, results: [result] }
}

const callLine = ({ id, name, args }: Fields, timestamp: unknown): Fields => ({
  type: 'tool_use',
  ...{ timestamp, tool_id: id, tool_name: name, parameters: args },
})

/** The calls of an answer, which have their results with them. */
export const callsOf = ({ toolCalls, timestamp }: Fields): RecordedPart[] =>
  listOf(toolCalls)
    .filter(isFields)
    .map((call) => ({ text: '', call: callLine(call, timestamp), results: resultLines(call) }))

const resultLines = (call: Fields): Fields[] => {
  const { id, status, timestamp, result, resultDisplay } = call
  if (!finalStatuses.has(status)) return []
  const isError = status !== 'success'
  const [response] = contentOf(result)
  const { error } = fieldsOf(fieldsOf(response?.functionResponse).response)
  return [
    {
      type: 'tool_result',
      ...{ timestamp, tool_id: id, status: isError ? 'error' : 'success' },
      // As in the stream: what is shown, if it is a text.
      output: stringOf(resultDisplay) ?? (isError ? stringOf(error) : undefined),
    },
  ]
}

const finalStatuses: ReadonlySet<unknown> = new Set(['success', 'error', 'cancelled'])

/**
 * An answer as a line of the stream, with its thoughts and tokens, which the stream does not have.
 * `before` is the same answer as it was written before. Undefined if nothing is new.
 */
export const answerLine = (line: Fields, before?: Fields): Fields | undefined => {
  const { id, timestamp, tokens } = line
  const text = textOf(line)
  const shown = before ? textOf(before) : ''
  const content = text.startsWith(shown) ? text.slice(shown.length) : ''
  const isCounted = isFields(before?.tokens)
  if (before && content === '' && (isCounted || !isFields(tokens))) return undefined
  return {
    type: 'message',
    ...{ role: 'assistant', id, timestamp, content },
    ...(!before && defined({ thoughts: thoughtsOf(line) })),
    ...(!isCounted && { tokens }),
  }
}

const textOf = (line: Fields): string =>
  recordedParts(line)
    .map(({ text }) => text)
    .join('')

const thoughtsOf = ({ thoughts }: Fields): string | undefined => {
  const texts = listOf(thoughts)
    .map(fieldsOf)
    .map(({ subject, description }) =>
      [stringOf(subject), stringOf(description)].filter(Boolean).join(': '),
    )
  return texts.length > 0 ? texts.join('\n') : undefined
}

/** The message of a person; undefined if the message has only results of calls. */
export const promptOf = (line: Fields): Fields | undefined => {
  const shown = line.displayContent === undefined ? line : { content: line.displayContent }
  const isWritten = contentOf(shown.content).some(({ functionResponse }) => !functionResponse)
  if (typeof shown.content !== 'string' && !isWritten) return undefined
  const { id, timestamp } = line
  const images = contentOf(shown.content).flatMap(({ inlineData }) =>
    isFields(inlineData) ? inlineData : [],
  )
  return { type: 'message', role: 'user', id, timestamp, content: textOf(shown), images }
}

/** The directory in the first message, which Gemini CLI writes itself; undefined if it is another one. */
export const workspaceOf = (line: Fields): string | undefined => {
  const text = textOf(line)
  if (line.type !== 'user' || !text.startsWith('<session_context>')) return undefined
  return /Workspace Directories:\*\*\s+- (.+)/.exec(text)?.[1]?.trim() ?? ''
}
