import type { IncomingMessage } from 'node:http'
import type { Knock } from './gate.ts'

/** What the gate asks of a request. */
export const knockOf = ({ headers, socket }: IncomingMessage): Knock => ({
  host: headers.host,
  origin: headers.origin,
  authorization: headers.authorization,
  remoteAddress: socket.remoteAddress,
})
