import type { z } from 'zod'
import { problemDetails } from '../api/problem.ts'
import type { ProblemDetails } from '../api/types.ts'
import { ApiError, clientError } from './api-error.ts'

/** The answer as its schema has it; what is not that is an error. */
export const readJson = async <Schema extends z.ZodType>(
  response: Response,
  schema: Schema,
): Promise<z.infer<Schema>> => {
  const { success, data, error } = schema.safeParse(parsed(await readBody(response.text())))
  if (success) return data
  throw clientError('bad_answer', error)
}

/** The refusal that an answer is. */
export const errorFrom = async (response: Response, now: number): Promise<ApiError> => {
  const { status } = response
  const { data } = problemDetails.safeParse(parsed(await response.text().catch(() => '')))
  return new ApiError({
    status,
    code: data?.code ?? `http_${status}`,
    detail: data?.detail ?? `The server answered ${status} ${response.statusText}`.trim(),
    retryAfter: retryAfterOf(response, data, now),
    problem: data,
  })
}

/** The body of an answer; a connection that breaks in the middle of it has given none. */
export const readBody = async <Body>(body: Promise<Body>): Promise<Body> => {
  try {
    return await body
  } catch (cause) {
    throw clientError('unreachable', cause)
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `Retry-After` is seconds or a date. */
const retryAfterOf = (
  response: Response,
  details: ProblemDetails | undefined,
  now: number,
): number | undefined => {
  const said = response.headers.get('retry-after')
  if (said === null || said === '') return details?.retryAfter
  const seconds = Number(said)
  if (!Number.isNaN(seconds)) return Math.max(0, seconds)
  const date = Date.parse(said)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}
