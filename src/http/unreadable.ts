import type { Duplex } from 'node:stream'
import { dataHeaders } from '../auth/headers.ts'
import { Problem, problemBody, problemHeaders } from '../shared/problem.ts'

/** How many bytes of headers a request may have: a cursor for each of many sessions goes along. */
export const headerBytes = 64 * 1024

/**
 * Refuses what is no request, on the connection that it came over. Where an answer is on its way,
 * nothing can be said any more.
 */
export const refuseUnreadable = (cause: Error, socket: Duplex, isAnswering: boolean): void => {
  if (isAnswering || !socket.writable) return void socket.destroy()
  const problem = problemOf('code' in cause ? cause.code : undefined)
  const body = JSON.stringify(problemBody(problem))
  const headers = {
    ...dataHeaders,
    ...problemHeaders(problem),
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const status = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`
  socket.end([status, ...lines, '', body].join('\r\n'))
}

// Not by an import, for the same reason as in `server.ts`.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

const problemOf = (code: unknown): Problem => {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Problem(431, 'headers_too_large', `${headerBytes} bytes of headers are the most.`)
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem(408, 'request_timeout', 'The request took too long to arrive.')
  return new Problem(400, 'bad_request', 'This is no HTTP request.')
}
