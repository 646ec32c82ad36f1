import type { IncomingMessage } from 'node:http'
import { readBody } from '../../auth/limits/read-body.ts'
import { isDeeperThan } from '../../shared/depth.ts'
import { Problem } from '../../shared/problem.ts'

/** No body that is meant well is as deep; deeper ones could not be written again. */
const deepest = 100

export interface JsonBody {
  text: string
  value: unknown
}

/** The JSON that a request carries. Throws a `Problem`: 400, 413, 415 or 422. */
export const jsonBody = async (
  incoming: IncomingMessage,
  { isOptional, ...options }: { limit: number; isOptional: boolean; onSize(size: number): void },
): Promise<JsonBody> => {
  const { 'content-type': type, 'content-length': length } = incoming.headers
  // A body that is too large is left unread, with its connection whole: the refusal must arrive.
  const chunks = incoming.iterator({ destroyOnReturn: false })
  const bytes = await readBody(chunks, { ...options, length }).catch((cause: unknown) => {
    if (cause instanceof Problem || !incoming.destroyed) throw cause
    // Whoever sent it has gone away, which is no failure of ours.
    throw new Problem(400, 'bad_request', 'The body broke off.')
  })
  if (bytes.byteLength === 0 && isOptional) return { text: '', value: {} }
  if (bytes.byteLength === 0) throw new Problem(400, 'bad_json', 'A body of JSON is needed.')
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type ?? ''))
    throw new Problem(415, 'not_json', 'Send `Content-Type: application/json`.')
  const text = textOf(bytes)
  const value = parsed(text)
  if (isDeeperThan(value, deepest))
    throw new Problem(422, 'invalid', `A body may be ${deepest} levels deep at most.`, {
      issues: [{ path: 'body', message: `It is more than ${deepest} levels deep.` }],
    })
  return { text, value }
}

const textOf = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Problem(400, 'bad_json', 'The body is not UTF-8.')
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : ''
    throw new Problem(400, 'bad_json', `The body is not JSON. ${why}`.trim())
  }
}
