import type { IncomingMessage } from 'node:http'
import type { RequestCredentials } from './gate.ts'

/** What the gate asks of a request. */
export const credentialsOf = ({ headers, socket }: IncomingMessage): RequestCredentials => ({
  host: headers.host,
  origin: headers.origin,
  authorization: headers.authorization,
  remoteAddress: socket.remoteAddress,
})
