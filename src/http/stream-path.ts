import { Problem } from '../shared/problem.ts'

/** Which stream an address asks for. */
export interface StreamPath {
  /** One session; undefined where several go on one connection. */
  sessionId?: string
  query: URLSearchParams
}

const one = /^\/api\/v1\/sessions\/([^/]+)\/stream$/
const many = '/api/v1/stream'

/** The stream that a request is for; undefined when it is for something else. */
export const streamPathOf = (method = '', url = ''): StreamPath | undefined => {
  // Nothing else ends like this, and most requests are told apart by it alone.
  if (method !== 'GET' || !/\/stream(?:\?|$)/.test(url)) return undefined
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  const query = new URLSearchParams(end < 0 ? '' : url.slice(end + 1))
  if (path === many) return { query }
  const [, encoded] = one.exec(path) ?? []
  return encoded === undefined ? undefined : { sessionId: decoded(encoded), query }
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Problem(404, 'unknown_session', 'There is no such session.')
  }
}
