import { Socket } from 'node:net'
import type { Readable } from 'node:stream'

const bufferSize = 64 * 1024

/**
 * Reads a child’s output into one buffer that is used again and again: half the cost of 'data'
 * events, each of which allocates. The chunk is only valid during the call. Reading never pauses:
 * some agents have no backpressure and die when their reader is slow.
 *
 * Node offers this for sockets that it opens itself; for a child’s it takes the handle, which is
 * not documented. Where there is none, 'data' events do the same.
 */
export const readPipe = (stream: Readable, onChunk: (chunk: Uint8Array) => void): Promise<void> => {
  const handle: unknown = Reflect.get(stream, '_handle')
  if (typeof handle !== 'object' || handle === null) return readEvents(stream, onChunk)
  const { promise, resolve } = Promise.withResolvers<void>()
  const buffer = Buffer.allocUnsafeSlow(bufferSize)
  const callback = (size: number) => {
    onChunk(buffer.subarray(0, size))
    return true
  }
  const options = { handle, readable: true, onread: { buffer, callback } }
  const socket: Socket = Reflect.construct(Socket, [options])
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    stream.destroy()
    resolve()
  })
  // Without data to flow, only a reader that asks learns of the end.
  socket.resume()
  return promise
}

const readEvents = (stream: Readable, onChunk: (chunk: Uint8Array) => void): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  stream.on('data', onChunk)
  stream.on('error', () => stream.destroy())
  stream.on('close', resolve)
  return promise
}
