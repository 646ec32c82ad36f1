import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Settles when all answers before this one are out: a client may send several requests at once, and
 * a stream is written to the socket itself. It settles too when the other side has gone.
 */
export const awaitPipelined = async (
  { socket }: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  // An answer is given the socket when it is its turn.
  if (response.socket || socket.destroyed) return
  const gone = new AbortController()
  const onClose = () => gone.abort()
  socket.once('close', onClose)
  await once(response, 'socket', { signal: gone.signal }).catch(() => {})
  socket.off('close', onClose)
}
