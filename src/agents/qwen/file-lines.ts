import { defined, type Fields, fieldsOf, isFields, listOf, stringOf } from '../../shared/fields.ts'

/** An answer of the model in a session file, as a line of the stream. */
export const assistantLine = (line: Fields): Fields => {
  const { uuid, model, usageMetadata } = line
  const content = partsIn(line).flatMap(answerBlock)
  const isCall = content.some(({ type }) => type === 'tool_use')
  return {
    type: 'assistant',
    message: {
      ...{ id: uuid, model, content, stop_reason: isCall ? 'tool_use' : null },
      ...(isFields(usageMetadata) && { usage: usageIn(usageMetadata) }),
    },
  }
}

export const partsIn = ({ message }: Fields): Fields[] =>
  listOf(fieldsOf(message).parts).map(fieldsOf)

const answerBlock = (part: Fields): Fields[] => {
  const { text, thought, functionCall } = part
  if (isFields(functionCall)) {
    const { id, name, args } = functionCall
    return [{ type: 'tool_use', id, name, input: args }]
  }
  if (typeof text !== 'string') return []
  return [thought === true ? { type: 'thinking', thinking: text } : { type: 'text', text }]
}

const usageIn = ({
  promptTokenCount,
  candidatesTokenCount,
  cachedContentTokenCount,
}: Fields): Fields => ({
  input_tokens: promptTokenCount,
  output_tokens: candidatesTokenCount,
  cache_read_input_tokens: cachedContentTokenCount,
})

/** The message of a person, or one that Qwen Code wrote for the model. */
export const userLine = (line: Fields): Fields => {
  const shown = stringOf(fieldsOf(line.systemPayload).displayText)
  const parts = partsIn(line)
  const images = parts.flatMap(({ inlineData }) => (isFields(inlineData) ? [inlineData] : []))
  const texts = shown === undefined ? parts.flatMap(textBlock) : [{ type: 'text', text: shown }]
  return {
    type: 'user',
    uuid: line.uuid,
    ...(!isOwnPrompt(line) && { synthetic: false }),
    message: { role: 'user', content: [...texts, ...images.map(imageBlock)] },
  }
}

/** Whether Qwen Code itself wrote a prompt. */
const isOwnPrompt = ({ subtype, provenance }: Fields): boolean =>
  ownPrompts.has(subtype) || (provenance !== undefined && provenance !== 'real_user')

const ownPrompts: ReadonlySet<unknown> = new Set(['notification', 'cron', 'goal_runtime'])

const textBlock = ({ text }: Fields): Fields[] =>
  typeof text === 'string' ? [{ type: 'text', text }] : []

const imageBlock = ({ data, mimeType }: Fields): Fields => ({ type: 'image', data, mimeType })

/** The end of a task in the background: a message to the model, and a line of its own in the stream. */
export const notificationLine = (line: Fields): Fields | undefined => {
  const text = partsIn(line)
    .map((part) => stringOf(part.text) ?? '')
    .join('')
  const field = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1]
  const taskId = field('task-id')
  if (taskId === undefined) return undefined
  const toolUseId = field('tool-use-id')
  const data = defined({ tool_use_id: toolUseId, status: field('status') })
  return { type: 'system', subtype: 'task_notification', data: { task_id: taskId, ...data } }
}

export const resultLine = (line: Fields): Fields => {
  const { callId, status, error, resultDisplay } = fieldsOf(line.toolCallResult)
  const responses = partsIn(line).map((part) => fieldsOf(part.functionResponse))
  const failure = responses
    .map(({ response }) => stringOf(fieldsOf(response).error))
    .find((text) => text !== undefined)
  const isError = failure !== undefined || isFields(error) || failedStatuses.has(status)
  const output = responses.map(({ response }) => stringOf(fieldsOf(response).output) ?? '').join('')
  const shown = isError ? stringOf(fieldsOf(error).message) : displayText(resultDisplay)
  return {
    type: 'user',
    message: {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: stringOf(callId) ?? responses[0]?.id,
          is_error: isError,
          content: failure ?? shown ?? output,
        },
      ],
    },
  }
}

const failedStatuses: ReadonlySet<unknown> = new Set(['error', 'cancelled'])

/** What people see of a result, if it is text. */
const displayText = (display: unknown): string | undefined => {
  const text = stringOf(display) ?? stringOf(fieldsOf(display).text)
  return text === undefined || text.trim() === '' ? undefined : text
}
