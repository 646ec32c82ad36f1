import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Resolves when all earlier responses on the connection are sent, or when the connection closes. A
 * stream is written to the socket itself, so it must not overtake the responses of pipelined requests.
 */
export const awaitPipelined = async (
  { socket }: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  // Node assigns the socket to a response when its turn comes.
  if (response.socket || socket.destroyed) return
  const closed = new AbortController()
  const onClose = () => closed.abort()
  socket.once('close', onClose)
  await once(response, 'socket', { signal: closed.signal }).catch(() => {})
  socket.off('close', onClose)
}
