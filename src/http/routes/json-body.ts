import type { IncomingMessage } from 'node:http'
import { type ReadBodyOptions, readBody } from '../../auth/limits/read-body.ts'
import { exceededLimit } from '../../shared/json-shape.ts'
import { Problem } from '../../shared/problem.ts'

/**
 * Far above what any route needs. A body with a million keys would hold up all other requests for
 * seconds, and a deeper one could be parsed, but neither walked nor written again.
 */
const shapeLimits = { values: 10_000, depth: 100 } as const

export interface JsonBody {
  text: string
  value: unknown
}

export interface JsonBodyOptions extends Pick<ReadBodyOptions, 'limit' | 'onSize'> {
  /** Without a body, the value is `{}`. */
  isOptional: boolean
}

/** Reads the JSON body of a request. Throws a `Problem`: 400, 413, 415 or 422. */
export const readJsonBody = async (
  request: IncomingMessage,
  { isOptional, ...options }: JsonBodyOptions,
): Promise<JsonBody> => {
  const { 'content-type': type, 'content-length': length } = request.headers
  // A body that is too large stays unread, and the connection open, so that the refusal arrives.
  const chunks = request.iterator({ destroyOnReturn: false })
  const bytes = await readBody(chunks, { ...options, length }).catch((cause: unknown) => {
    if (cause instanceof Problem || !request.destroyed) throw cause
    // The client has disconnected, which is not an error of the server.
    throw new Problem(400, 'bad_request', 'The connection closed before the body was complete.')
  })
  if (bytes.byteLength === 0 && isOptional) return { text: '', value: {} }
  if (bytes.byteLength === 0)
    throw new Problem(400, 'bad_json', 'The body is empty. Send a JSON object.')
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type ?? ''))
    throw new Problem(
      415,
      'not_json',
      'The body must be JSON. Send `Content-Type: application/json`.',
    )
  const text = decodeUtf8(bytes)
  const exceeded = exceededLimit(text, shapeLimits)
  if (exceeded) throw tooComplex(exceeded)
  return { text, value: parseJson(text) }
}

const decodeUtf8 = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Problem(400, 'bad_json', 'The body is not valid UTF-8.')
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : ''
    throw new Problem(400, 'bad_json', `The body is not valid JSON. ${reason}`.trim())
  }
}

const tooComplex = (exceeded: keyof typeof shapeLimits): Problem => {
  const message = {
    values: `The body has more than ${shapeLimits.values} values.`,
    depth: `The body is nested more than ${shapeLimits.depth} levels deep.`,
  }[exceeded]
  return new Problem(422, 'invalid', message, { issues: [{ path: 'body', message }] })
}
