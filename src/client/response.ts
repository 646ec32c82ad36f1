import type { ProblemDetails } from '../api/types.ts'
import { isFields } from '../shared/fields.ts'
import { ApiError, clientError } from './api-error.ts'

/** Recognises the body that a call expects. */
export type BodyCheck<Body> = (value: unknown) => value is Body

/**
 * Recognises a body by fields that it must have: enough to reject the page of a proxy. The server
 * builds its bodies from schemas, so a closer look would only make the client larger.
 */
export const hasFields =
  <Body extends object>(...names: (keyof Body & string)[]): BodyCheck<Body> =>
  (value): value is Body =>
    isFields(value) && names.every((name) => Object.hasOwn(value, name))

/** Reads a body that must be JSON and pass the check. */
export const readJson = async <Body>(
  response: Response,
  isExpected: BodyCheck<Body>,
): Promise<Body> => {
  const body = parseJson(await receiveBody(response.text()))
  if (isExpected(body)) return body
  throw clientError('bad_answer')
}

/** Reads a body; a connection that breaks meanwhile is an `ApiError`. */
export const receiveBody = async <Body>(body: Promise<Body>): Promise<Body> => {
  try {
    return await body
  } catch (cause) {
    throw clientError('unreachable', cause)
  }
}

/** The error that a response with a status other than 2xx stands for. */
export const errorFrom = async (response: Response, now: number): Promise<ApiError> => {
  const { status } = response
  const body = parseJson(await response.text().catch(() => ''))
  const problem = isProblem(body) ? body : undefined
  return new ApiError({
    status,
    code: problem?.code ?? `http_${status}`,
    detail: problem?.detail ?? `The server responded ${status} ${response.statusText}`.trim(),
    retryAfter: retryAfterOf(response, problem, now),
    problem,
    body,
  })
}

const isProblem = (value: unknown): value is ProblemDetails =>
  isFields(value) &&
  ['type', 'title', 'code', 'detail'].every((name) => typeof value[name] === 'string') &&
  typeof value.status === 'number' &&
  isAbsentOr('string', value.sessionId) &&
  isAbsentOr('number', value.retryAfter)

const isAbsentOr = (type: 'string' | 'number', value: unknown): boolean =>
  value === undefined || typeof value === type

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `Retry-After` is a number of seconds or a date. */
const retryAfterOf = (
  response: Response,
  problem: ProblemDetails | undefined,
  now: number,
): number | undefined => {
  const header = response.headers.get('retry-after')
  if (header === null || header === '') return problem?.retryAfter
  const seconds = Number(header)
  if (!Number.isNaN(seconds)) return Math.max(0, seconds)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}
