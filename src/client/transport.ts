import { clientError } from './api-error.ts'
import type { Platform } from './platform.ts'
import { errorFrom } from './response.ts'

/** A token, or what gives the one that is valid now. */
export type Token = string | (() => Promise<string | undefined>)

export type Query = Readonly<Record<string, string | number | undefined>>

export interface TransportRequest {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/api/v1/`, its parts encoded. */
  path: string
  query?: Query
  body?: unknown
  headers?: Readonly<Record<string, string>>
  signal: AbortSignal
}

/** The server that a client speaks to. */
export const createTransport = (url: string, token: Token | undefined, platform: Platform) => {
  const root = new URL('api/v1/', url.endsWith('/') ? url : `${url}/`)

  const bearerNow = typeof token === 'function' ? token : async () => token

  const headersOf = async ({
    body,
    headers,
  }: TransportRequest): Promise<Record<string, string>> => {
    const bearer = await bearerNow()
    return {
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    }
  }

  return {
    platform,
    /** An answer that is no refusal; all else is an `ApiError`, whatever ended it. */
    async request(asked: TransportRequest): Promise<Response> {
      const { method = 'GET', path, query, body, signal } = asked
      const init: RequestInit = {
        method,
        headers: await headersOf(asked),
        signal,
        cache: 'no-store',
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }
      const response = await fetched(platform, addressOf(root, path, query), init)
      if (response.ok) return response
      throw await errorFrom(response, platform.now())
    },
  }
}
export type Transport = ReturnType<typeof createTransport>

const addressOf = (root: URL, path: string, query: Query = {}): string => {
  const address = new URL(path, root)
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) address.searchParams.set(name, String(value))
  return address.href
}

const fetched = async (platform: Platform, url: string, init: RequestInit): Promise<Response> => {
  try {
    return await platform.fetch(url, init)
  } catch (cause) {
    throw clientError('unreachable', cause)
  }
}
