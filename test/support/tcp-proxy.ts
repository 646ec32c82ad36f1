import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** How a proxy treats what passes through it. */
export type ProxyMode =
  /** Everything passes. */
  | 'open'
  /** Connections are cut, and new ones are refused. */
  | 'cut'
  /** Connections stay, and nothing passes in either direction. */
  | 'frozen'
  /** Only what the server sends is held back, or only what the client sends. */
  | 'no_answers'
  | 'no_requests'
  /** Every chunk waits for 50 ms. */
  | 'slow'
  /** Every connection is cut after some chunks. */
  | 'lossy'

/** A proxy on loopback in front of a TCP server. */
export interface TcpProxy {
  readonly url: string
  set(mode: ProxyMode): void
  close(): Promise<void>
}

const slowMs = 50
/** How many chunks of the client pass through a lossy proxy. */
const lossyChunks = 40

/** Starts a proxy for an address such as `nats://127.0.0.1:4222`. */
export const startProxy = async (target: string): Promise<TcpProxy> => {
  const { port } = new URL(target)
  let mode: ProxyMode = 'open'
  const pairs = new Set<ProxyPair>()
  const server = createServer((client) => {
    if (mode === 'cut') return void client.destroy()
    const pair = createPair(client, connect(Number(port), '127.0.0.1'), () => mode)
    pairs.add(pair)
    client.on('close', () => pairs.delete(pair))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('The proxy has no port.')
  return {
    url: `nats://127.0.0.1:${address.port}`,
    set(next) {
      mode = next
      for (const pair of pairs) {
        if (mode === 'cut') pair.destroy()
        else pair.adjust()
      }
    },
    async close() {
      for (const pair of pairs) pair.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

interface ProxyPair {
  /** The mode has changed. */
  adjust(): void
  destroy(): void
}

const createPair = (client: Socket, server: Socket, mode: () => ProxyMode): ProxyPair => {
  let chunks = 0
  const destroy = (): void => {
    client.destroy()
    server.destroy()
  }
  /** Sends what waits in the slow mode: nothing that comes later may overtake it. */
  const flushes: (() => void)[] = []
  const pass = (from: Socket, to: Socket): void => {
    const delayed: Buffer[] = []
    const send = (chunk: Buffer | undefined): void => {
      if (chunk && to.writable) to.write(chunk)
    }
    flushes.push(() => {
      for (const chunk of delayed.splice(0)) send(chunk)
    })
    from.on('data', (chunk: Buffer) => {
      if (from === client) chunks += 1
      if (mode() === 'lossy' && from === client && chunks % lossyChunks === 0) return destroy()
      if (mode() !== 'slow') return send(chunk)
      delayed.push(chunk)
      setTimeout(() => send(delayed.shift()), slowMs)
    })
    from.on('error', destroy)
    from.on('close', destroy)
  }
  const adjust = (): void => {
    if (mode() !== 'slow') for (const flush of flushes) flush()
    setPaused(client, mode() === 'frozen' || mode() === 'no_requests')
    setPaused(server, mode() === 'frozen' || mode() === 'no_answers')
  }
  pass(client, server)
  pass(server, client)
  adjust()
  return { adjust, destroy }
}

const setPaused = (socket: Socket, isPaused: boolean): void => {
  if (isPaused) socket.pause()
  else socket.resume()
}
