import type { Block, TodoItem, Usage } from '../../events/types.ts'
import { countOf, defined, type Fields, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'

/**
 * The usage of a step. OpenCode counts reasoning apart from the output. It reports a cost of zero for
 * a model that it has no price of, so zero is not a cost.
 */
export const usageOf = ({ tokens: value, cost: total }: Fields): Usage | undefined => {
  const tokens = fieldsOf(value)
  const cache = fieldsOf(tokens.cache)
  const output = countOf(tokens.output)
  const reasoning = countOf(tokens.reasoning)
  const counts = defined({
    input: countOf(tokens.input),
    output: output === undefined ? undefined : output + (reasoning ?? 0),
    cacheRead: countOf(cache.read),
    cacheWrite: countOf(cache.write),
    reasoning: reasoning || undefined,
  })
  if (Object.values(counts).every((count) => count === 0)) return undefined
  const cost = countOf(total) || undefined
  return { ...counts, ...(cost !== undefined && { cost: { total: cost } }) }
}

/** Why a step ended, in the words of all agents. */
export const stopReasonOf = (reason: unknown): string | undefined =>
  typeof reason === 'string' ? (stopReasons.get(reason) ?? reason) : undefined

const stopReasons = new Map([
  ['tool-calls', 'toolUse'],
  ['content-filter', 'refusal'],
  ['unknown', 'stop'],
  ['other', 'stop'],
])

/** An error of OpenCode: its name, its message for people, and the response of the provider. */
export interface ReportedError {
  name: string
  message: string
  status?: number
  details?: string
}

export const reportedErrorOf = (value: unknown): ReportedError => {
  const error = fieldsOf(value)
  const data = fieldsOf(error.data)
  const name = stringOf(error.name) ?? 'UnknownError'
  return {
    name,
    message: stringOf(data.message) ?? stringOf(error.message) ?? name,
    ...defined({ status: countOf(data.statusCode), details: stringOf(data.responseBody) }),
  }
}

/** A person stopped the run. */
export const isAbort = ({ name }: ReportedError): boolean => name === 'MessageAbortedError'

/** The context was too long: OpenCode compacts it and goes on. */
export const isOverflow = ({ name }: ReportedError): boolean => name === 'ContextOverflowError'

/** A file of a prompt or of a result. An image is shown; of another file only its name. */
export const fileBlock = ({ mime, url, filename }: Fields): Block => {
  const mimeType = stringOf(mime) ?? 'application/octet-stream'
  const [, data] = /^data:image\/[^,]*;base64,(.*)$/s.exec(stringOf(url) ?? '') ?? []
  if (data !== undefined) return { type: 'image', data, mimeType }
  return { type: 'file', mimeType, ...defined({ name: stringOf(filename) }) }
}

/** The to-do list in an event or in the arguments of the tool that writes it. */
export const todosOf = (value: unknown): TodoItem[] =>
  listOf(value).flatMap((each) => {
    const { content, status, priority } = fieldsOf(each)
    if (typeof content !== 'string') return []
    const state = todoStates.find((known) => known === status) ?? 'pending'
    return [{ text: content, state, ...defined({ priority: stringOf(priority) }) }]
  })

const todoStates = ['pending', 'in_progress', 'completed', 'cancelled'] as const

/**
 * The time in an id of OpenCode, in milliseconds; its ids hold the lowest 36 bits. Undefined if it is
 * another kind of id.
 */
const timeInId = (id: unknown): number | undefined => {
  const [, digits] = /^[a-z]+_([0-9a-f]{9})[0-9a-f]{3}/.exec(stringOf(id) ?? '') ?? []
  return digits === undefined ? undefined : Number.parseInt(digits, 16)
}

/** How long it is from the time in an id to a full time. */
export const delayFrom = (id: unknown, time: unknown): number => {
  const start = timeInId(id)
  const end = countOf(time)
  if (start === undefined || end === undefined) return 0
  const delay = (end - start) % 2 ** 36
  return delay < longestDelay ? delay : 0
}

/** A longer delay means that the id holds another time. */
const longestDelay = 86_400_000

/** Whether a call failed because a person refused it. OpenCode says so to the model, and the run ends. */
export const isRejection = ({ status, error }: Fields): boolean =>
  status === 'error' && /rejected permission/i.test(stringOf(error) ?? '')
