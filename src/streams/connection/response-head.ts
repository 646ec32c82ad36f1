import type { ServerResponse } from 'node:http'
import type { Encoding } from './encoding.ts'

/**
 * The head of the answer. It is written by hand, and the body behind it goes straight to the socket:
 * the same bytes to all. The body has no length and no chunks, it lasts until the connection ends,
 * so a part of it can be cut anywhere and needs no bytes around it.
 */
export const responseHead = (response: ServerResponse, coding: Encoding): Buffer => {
  const { vary, ...usual } = response.getHeaders() // what the server says in every answer
  const headers = {
    ...usual,
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    vary: [vary ?? [], 'Accept-Encoding'].flat().join(', '),
    ...(coding.name !== undefined && { 'content-encoding': coding.name }),
    connection: 'close',
  }
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => `${name}: ${each}`),
  )
  return Buffer.from(['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n'), 'latin1')
}
