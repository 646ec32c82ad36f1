import { clientError } from './api-error.ts'
import type { Platform } from './platform.ts'
import { errorFrom } from './response.ts'

/** A token, or a function that returns the one that is valid now. */
export type Token = string | (() => Promise<string | undefined>)

export type Query = Readonly<Record<string, string | number | undefined>>

export interface TransportRequest {
  /** Default: GET. */
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/api/v1/`, with its parts encoded: see `path`. */
  path: string
  query?: Query
  /** Sent as JSON. */
  body?: unknown
  headers?: Readonly<Record<string, string>>
  signal: AbortSignal
}

/** Sends requests to one server. */
export interface Transport {
  readonly platform: Platform
  /** Returns a response with a status of 2xx; everything else is thrown as an `ApiError`. */
  request(request: TransportRequest): Promise<Response>
}

/** What a client sends to prove who it is: a token, or in a page its key. */
export interface ClientCredentials {
  token?: Token | undefined
  pageKey?: Token | undefined
}

export const createTransport = (
  url: string,
  { token, pageKey }: ClientCredentials,
  platform: Platform,
): Transport => {
  const root = new URL('api/v1/', url.endsWith('/') ? url : `${url}/`)

  const headersOf = async (request: TransportRequest): Promise<Record<string, string>> => {
    const [bearer, page] = await Promise.all([current(token), current(pageKey)])
    return {
      ...(page !== undefined && { 'sluice-page': page }),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
      ...request.headers,
    }
  }

  return {
    platform,
    async request(request) {
      const { method = 'GET', path, query, body, signal } = request
      const init: RequestInit = {
        method,
        headers: await headersOf(request),
        signal,
        cache: 'no-store',
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }
      const response = await fetchFrom(platform, addressOf(root, path, query), init)
      if (response.ok) return response
      throw await errorFrom(response, platform.now())
    },
  }
}

const current = async (token: Token | undefined): Promise<string | undefined> =>
  typeof token === 'function' ? token() : token

/** A path with its values encoded: path`sessions/${id}/prompt`. */
export const path = (parts: TemplateStringsArray, ...values: readonly string[]): string =>
  parts.reduce((before, part, index) => before + encodeURIComponent(values[index - 1] ?? '') + part)

const addressOf = (root: URL, path: string, query: Query = {}): string => {
  const address = new URL(path, root)
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) address.searchParams.set(name, String(value))
  return address.href
}

const fetchFrom = async (platform: Platform, url: string, init: RequestInit): Promise<Response> => {
  try {
    return await platform.fetch(url, init)
  } catch (cause) {
    throw clientError('unreachable', cause)
  }
}
