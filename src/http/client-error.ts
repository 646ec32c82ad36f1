import type { Duplex } from 'node:stream'
import { dataHeaders } from '../auth/headers.ts'
import { Problem, problemBody, problemHeaders } from '../shared/problem.ts'

/** The most bytes of headers. They may hold a cursor for each of many sessions. */
export const maxHeaderBytes = 64 * 1024

/**
 * Responds to bytes that are not an HTTP request, and closes the connection. When another response
 * is being sent on it, nothing can be written between, and it is only closed.
 */
export const refuseClientError = (cause: Error, socket: Duplex, isResponding: boolean): void => {
  if (isResponding || !socket.writable) return void socket.destroy()
  const problem = clientProblem('code' in cause ? cause.code : undefined)
  const body = JSON.stringify(problemBody(problem))
  const headers = {
    ...dataHeaders,
    ...problemHeaders(problem),
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const statusLine = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`
  socket.end([statusLine, ...lines, '', body].join('\r\n'))
}

// Not imported, for the reason given in `http-listener.ts`.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

const clientProblem = (code: unknown): Problem => {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Problem(
      431,
      'headers_too_large',
      `The headers are larger than ${maxHeaderBytes} bytes, the limit.`,
    )
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem(
      408,
      'request_timeout',
      'The request took too long to arrive. Send it again.',
    )
  return new Problem(400, 'bad_request', 'This is not a valid HTTP request.')
}
